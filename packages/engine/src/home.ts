/** The home: the one folder with everything Reprise keeps, readable by its owner alone. */

import { randomBytes } from "node:crypto";
import {
  access,
  constants,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DeniedError, RepriseError, StoreError, UsageError } from "@reprise/core/errors/errors";
import { checkHome } from "./home-check.ts";

export interface Home {
  readonly path: string;
  /** What was found open to others and closed, in a sentence for the user; null when nothing was. */
  readonly repaired: string | null;
  readonly database: string;
  /** Keys the digests of credentials. */
  readonly secret: string;
  /** Names the host that has this home; a restored home has a new one. */
  readonly hostId: string;
  agentFolder(agent: string): string;
  /** Where the provider's files go that a turn found damaged, or that a move of the key replaced. */
  found(turnOrKey: string): string;
}

export function databaseIn(home: string): string {
  return join(home, "reprise.db");
}

export async function openHome(path: string): Promise<Home> {
  const home = resolve(path);
  try {
    await makeFolder(home);
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
    const repaired = checkHome(home);
    return {
      path: home,
      repaired,
      database: databaseIn(home),
      secret: await readSecret(join(home, "secret")),
      hostId: await readSecret(join(home, "host")),
      agentFolder: (agent) => join(home, "agents", agent),
      found: (turn) => join(home, "found", turn),
    };
  } catch (error) {
    if (error instanceof RepriseError || !isSystemError(error)) throw error;
    const file = await fileOnTheWay(home);
    if (file !== null)
      throw new UsageError(
        "home-not-a-folder",
        `The home ${home} cannot be used: ${file === home ? "it" : file} is not a folder.`,
        "Choose another with --home or REPRISE_HOME.",
        { cause: error },
      );
    if (error.code === "ENOSPC" || error.code === "EDQUOT")
      throw new StoreError(
        "store-full",
        `The home ${home} cannot be written: the disk is full (${error.code}).`,
        "Free some disk space and try again.",
        { cause: error },
      );
    throw new DeniedError(
      "home-not-writable",
      `The home ${home} cannot be written (${error.code}).`,
      "Choose another with --home or REPRISE_HOME, or give yourself write permission.",
      { cause: error },
    );
  }
}

/** Not mkdir's own `recursive`: Node never comes back from it below /proc, where nothing can be made. */
async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  if (parent !== path && !(await isThere(parent))) await makeFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // A folder that is there is all we want; anything else shows when something is put into it.
    if (!(isSystemError(error) && error.code === "EEXIST")) throw error;
  }
}

/** The home, or the first folder above it that is there, if it is a file. */
async function fileOnTheWay(path: string): Promise<string | null> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code);
  if (typeof found === "object") return found.isDirectory() ? null : path;
  const missing = found === "ENOENT" || found === "ENOTDIR";
  return missing && dirname(path) !== path ? fileOnTheWay(dirname(path)) : null;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error) => error.code !== "ENOENT",
  );
}

/** 64 random digits, made once; of several processes that make some at the same time, one wins. */
async function readSecret(path: string): Promise<string> {
  const existing = await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  if (existing.length === 64) return existing;
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
    if (existing === "") await linkOnce(draft, path);
    else await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, "utf8");
}

async function linkOnce(draft: string, path: string): Promise<void> {
  await link(draft, path).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
