/** `reprise session import`: a bundle, or a conversation of the agent's own program. */

import { resolve } from "node:path";
import { DeniedError, NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { sessionKey } from "@reprise/core/session/key";
import { readNamedFile } from "@reprise/engine/named-file";
import type { Cli } from "../cli.ts";
import { printCreated } from "../format/created.ts";
import { isAnswerable } from "../input/ask.ts";
import { type Picking, pickSession } from "../pick-session.ts";

interface ImportOptions {
  readonly key?: string;
  readonly agent?: string;
  readonly folder?: string;
  readonly provider?: string;
  readonly id?: string;
  readonly pick?: boolean;
}

export async function run(
  cli: Cli,
  argument: string | undefined,
  options: ImportOptions,
): Promise<number> {
  const { agent, provider, id, pick = false } = options;
  const key = options.key === undefined ? null : sessionKey(options.key);
  const folder = options.folder ? resolve(cli.cwd, options.folder) : null;
  if (argument !== undefined) {
    if (provider !== undefined || id !== undefined || pick) throw twoSources();
    const bundle = await read(resolve(cli.cwd, argument));
    const created = await cli.withHome(({ reprise }) =>
      reprise.sessions.import({ bundle, key, agent: agent ?? null, folder }),
    );
    printCreated(cli, "Imported", created);
    return 0;
  }
  if (pick) {
    if (id !== undefined) throw twoChoices();
    return importPicked(cli, { agent, provider, key, folder });
  }
  if (!provider || !id || key === null) throw incomplete(options);
  const created = await cli.withHome(({ reprise }) =>
    reprise.sessions.adopt({ provider, id, key, agent, folder }),
  );
  printCreated(cli, "Adopted", created);
  return 0;
}

async function importPicked(cli: Cli, wanted: Picking): Promise<number> {
  const created = await cli.withHome(async ({ reprise }) => {
    const picked = await pickSession(cli, reprise, wanted);
    return picked && (await reprise.sessions.adopt(picked));
  });
  if (created) printCreated(cli, "Adopted", created);
  else if (isAnswerable(cli) && !cli.json) cli.remark("Nothing was imported.");
  return 0;
}

/** In bytes; the bundle is held in memory. */
const maxBundleFile = 1024 * 1024 * 1024;

async function read(file: string): Promise<Uint8Array> {
  try {
    return await readNamedFile(file, { limit: maxBundleFile, what: "bundle", pipes: true });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new NotFoundError("no-file", `The bundle ${file} does not exist.`, "Check the path.");
    throw new DeniedError(
      "file-denied",
      `The bundle ${file} cannot be read (${code ?? error}).`,
      "Name a file that you may read.",
    );
  }
}

function twoSources(): UsageError {
  return new UsageError(
    "two-sources",
    "Both a bundle and a conversation of an agent's own program were named.",
    "Give a file, or --provider with --id, or --pick.",
  );
}

function twoChoices(): UsageError {
  return new UsageError(
    "two-choices",
    "--id names a conversation, and --pick asks for one.",
    "Give only one of the two.",
  );
}

function incomplete(options: ImportOptions): UsageError {
  const missing = (["provider", "id", "key"] as const).filter((name) => !options[name]);
  return missing.length === 3 || (missing.includes("provider") && missing.includes("id"))
    ? new UsageError(
        "nothing-to-import",
        "Nothing to import was named.",
        "Give a bundle, or list the conversations of the agent's own program with --pick.",
      )
    : new UsageError(
        "incomplete",
        `To import a conversation, ${missing.map((name) => `--${name}`).join(" and ")} must be given too.`,
        'See "reprise session import --help".',
      );
}
