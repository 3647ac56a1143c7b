/** The work folder of a turn: an existing, usable folder, by its real path. */

import { accessSync, constants, realpathSync, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { DeniedError, UsageError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";

/**
 * A symlink equals its target, so that only a really different folder counts as different. Uses the
 * synchronous calls: a round trip through the thread pool takes ten times as long.
 */
export function workFolder(path: string, base: string): string {
  const wanted = resolve(base, path);
  try {
    // A path that ends with `/.` resolves only if it is a folder that may be entered.
    accessSync(`${wanted}/.`, constants.R_OK);
    return realpathSync.native(wanted);
  } catch {
    throw problemOf(wanted);
  }
}

/** The same without reading the disk, for callers that must not learn what exists there. */
export function namedFolder(path: string, base: string): string {
  return resolve(base, path);
}

function problemOf(wanted: string): UsageError | DeniedError {
  const found = statOf(wanted);
  if (found === null)
    return new UsageError(
      "folder-missing",
      `The folder ${wanted} does not exist.`,
      `Create it, or name another one with ${option("folder")}.`,
    );
  if (!found.isDirectory())
    return new UsageError(
      "folder-not-a-folder",
      `${wanted} is not a folder.`,
      `Name a folder with ${option("folder")}.`,
    );
  return new DeniedError(
    "folder-unreadable",
    `The folder ${wanted} cannot be read.`,
    `Give yourself read permission, or name another one with ${option("folder")}.`,
  );
}

/** Null if the path cannot be read, for any reason. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
