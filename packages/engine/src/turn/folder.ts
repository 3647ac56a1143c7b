/** The work folder of a turn: an existing, usable folder, by its real path. */

import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { DeniedError, UsageError } from "@reprise/core/errors/errors";

/** A symlink equals its target, so that only a really different folder counts as one. */
export async function workFolder(path: string, base: string): Promise<string> {
  const wanted = resolve(base, path);
  try {
    // With `/.` at its end a path leads to nothing but a folder that may be entered.
    const [real] = await Promise.all([realpath(wanted), access(`${wanted}/.`, constants.R_OK)]);
    return real;
  } catch {
    throw await problemOf(wanted);
  }
}

async function problemOf(wanted: string): Promise<UsageError | DeniedError> {
  const found = await stat(wanted).catch(() => null);
  if (found === null)
    return new UsageError(
      "folder-missing",
      `The folder ${wanted} does not exist.`,
      "Create it, or name another one with --folder.",
    );
  if (!found.isDirectory())
    return new UsageError(
      "folder-not-a-folder",
      `${wanted} is not a folder.`,
      "Name a folder with --folder.",
    );
  return new DeniedError(
    "folder-unreadable",
    `The folder ${wanted} can not be read.`,
    "Give yourself read permission, or name another one with --folder.",
  );
}
