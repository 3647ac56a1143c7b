/** `reprise session export`: writes a session to a bundle that only its owner may read. */

import { rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { DeniedError, UsageError } from "@reprise/core/errors/errors";
import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";

export async function run(
  cli: Cli,
  argument: string,
  {
    output,
    transcriptOnly = false,
  }: { readonly output: string; readonly transcriptOnly?: boolean },
): Promise<number> {
  const key = sessionKey(argument);
  const file = resolve(cli.cwd, output);
  const bundle = await cli.withReprise(({ sessions }) => sessions.export({ key, transcriptOnly }));
  await write(file, bundle);
  if (cli.json) cli.document({ key, file, bytes: bundle.length, transcriptOnly, sensitive: true });
  else cli.out.line(`Wrote session ${key} into ${file}.`);
  cli.remark("It contains the whole conversation: protect it, and share it with care.");
  return 0;
}

/** Never into an existing file, which others might be able to read. */
async function write(file: string, bundle: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bundle, { mode: 0o600, flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST")
      throw new UsageError("file-exists", `${file} already exists.`, "Name another file.");
    // The file is ours: with `wx` an existing one is never opened.
    if (code === "ENOSPC" || code === "EDQUOT") await rm(file, { force: true });
    throw new DeniedError(
      "file-not-writable",
      `${file} cannot be written (${code ?? error}).`,
      "Name a file in a folder that you may write to.",
    );
  }
}
