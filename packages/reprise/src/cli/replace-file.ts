/** Replaces a file's text atomically. Keeps its permissions, and follows a link. */

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { DeniedError } from "@reprise/core/errors/errors";

export async function replaceFile(path: string, text: string): Promise<void> {
  try {
    const target = await realpath(path);
    // A read-only file must not be replaced, even if its folder would allow it.
    await access(target, constants.W_OK);
    const { mode } = await stat(target);
    const draft = `${target}.${randomUUID()}.new`;
    try {
      await writeFile(draft, text, { mode: mode & 0o777, flag: "wx", flush: true });
      await rename(draft, target);
    } finally {
      await rm(draft, { force: true });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DeniedError(
      "file-not-writable",
      `${path} cannot be written (${code ?? error}).`,
      "Check its permissions and those of its folder, or write the result to standard output.",
      { cause: error },
    );
  }
}
