/** The home: the one folder with everything Reprise keeps, readable by its owner alone. */

import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DeniedError } from "@reprise/core/errors/errors";

export interface Home {
  readonly path: string;
  readonly database: string;
  /** Keys the digests of credentials. */
  readonly secret: string;
  agentFolder(agent: string): string;
  /** Where a provider's file goes that was found damaged. */
  aside(turn: string, attempt: number): string;
}

export async function openHome(path: string): Promise<Home> {
  const home = resolve(path);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    return {
      path: home,
      database: join(home, "reprise.db"),
      secret: await readSecret(join(home, "secret")),
      agentFolder: (agent) => join(home, "agents", agent),
      aside: (turn, attempt) => join(home, "found", `${turn}-${attempt}`),
    };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new DeniedError(
      "home-not-writable",
      `The home ${home} can not be written (${error.code}).`,
      "Choose another with --home or REPRISE_HOME, or give yourself write permission.",
      { cause: error },
    );
  }
}

/** The secret is made once; of several processes that make one at the same time, one wins. */
async function readSecret(path: string): Promise<string> {
  const existing = await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  if (existing.length === 64) return existing;
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
  if (existing === "") await linkOnce(draft, path);
  else await rename(draft, path);
  return readFile(path, "utf8");
}

async function linkOnce(draft: string, path: string): Promise<void> {
  await link(draft, path).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(draft, { force: true });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
