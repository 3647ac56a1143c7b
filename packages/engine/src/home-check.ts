/**
 * Checks a home before anything in it is used. A user who can write into the folder, or into a file that
 * one of its names links to, could make Reprise start programs: what belongs to another user, or is a
 * symbolic link, is refused, and what is open to others is closed.
 */

import { chmodSync, lstatSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { DeniedError } from "@reprise/core/errors/errors";

const databases = ["reprise.db", "server.lock"];
const files = [
  ...databases.flatMap((name) => [name, `${name}-wal`, `${name}-shm`]),
  ...["secret", "host", "token", "server.json", "server.log"],
];
/** Rights of the group and of all others. */
const others = 0o077;

/**
 * @returns a sentence for the user when the folder was open to others, else null.
 * @throws DeniedError `home-foreign`, `home-link` for what is not used.
 */
export function checkHome(home: string): string | null {
  const found = look(home, statSync);
  // What is no folder is refused where the home is opened, and left as it is.
  if (!found?.isDirectory()) return null;
  requireOwn(home, found);
  const mode = found.mode & 0o777;
  if ((mode & others) !== 0) chmodSync(home, mode & ~others);
  for (const name of files) checkFile(join(home, name));
  if ((mode & others) === 0) return null;
  return `The home ${home} was open to other users (mode ${mode.toString(8).padStart(4, "0")}); it is closed to them now.`;
}

function checkFile(file: string): void {
  const found = look(file, lstatSync);
  if (found === null) return;
  if (found.isSymbolicLink())
    throw new DeniedError(
      "home-link",
      `${file} is a symbolic link, and the files of a home are not.`,
      "See where it leads to, and put the file itself in its place, or remove it.",
    );
  requireOwn(file, found);
  if (found.isFile() && (found.mode & others) !== 0) chmodSync(file, found.mode & 0o700);
}

function requireOwn(path: string, { uid }: Stats): void {
  const own = process.getuid?.() ?? uid;
  if (uid === own) return;
  throw new DeniedError(
    "home-foreign",
    `${path} belongs to the user with the id ${uid}, and Reprise runs as ${own}.`,
    "Run Reprise as its owner, or choose another home with --home or REPRISE_HOME.",
  );
}

/** Null where there is nothing, or nothing to be seen. */
function look(path: string, stat: (path: string) => Stats): Stats | null {
  try {
    return stat(path);
  } catch {
    return null;
  }
}
