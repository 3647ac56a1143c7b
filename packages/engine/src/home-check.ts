/**
 * Checks a home before anything in it is used. Another user who can write to the folder, or to a file that it
 * links to, could make Reprise start programs. So files of other users and symbolic links are refused, and
 * permissions of other users are removed.
 */

import { chmodSync, lstatSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { DeniedError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";

const databases = ["reprise.db", "server.lock"];
const files = [
  ...databases.flatMap((name) => [name, `${name}-wal`, `${name}-shm`]),
  ...["secret", "host", "token", "store.json", "server.json", "server.log", "server.err"],
];
/** Permissions of the group and of all others. */
const others = 0o077;

/**
 * @returns a sentence for the user if the folder was open to others, otherwise null.
 * @throws DeniedError `home-foreign`, `home-link`.
 */
export function checkHome(home: string): string | null {
  const found = look(home, statSync);
  // Opening the home reports a path that is not a folder.
  if (!found?.isDirectory()) return null;
  requireOwn(home, found);
  const mode = found.mode & 0o777;
  if ((mode & others) !== 0) chmodSync(home, mode & ~others);
  for (const name of files) checkFile(join(home, name));
  if ((mode & others) === 0) return null;
  return `The home ${home} was open to other users (mode ${mode.toString(8).padStart(4, "0")}); their permissions were removed.`;
}

function checkFile(file: string): void {
  const found = look(file, lstatSync);
  if (found === null) return;
  if (found.isSymbolicLink())
    throw new DeniedError(
      "home-link",
      `${file} is a symbolic link, which Reprise does not follow in a home.`,
      "Check where it leads, then replace it with the file itself, or remove it.",
    );
  requireOwn(file, found);
  if (found.isFile() && (found.mode & others) !== 0) chmodSync(file, found.mode & 0o700);
}

function requireOwn(path: string, { uid }: Stats): void {
  const own = process.getuid?.() ?? uid;
  if (uid === own) return;
  throw new DeniedError(
    "home-foreign",
    `${path} belongs to user ${uid}, but Reprise runs as user ${own}.`,
    `Run Reprise as its owner, or choose another home with ${option("home")} or REPRISE_HOME.`,
  );
}

/** Null if it does not exist or cannot be read. */
function look(path: string, stat: (path: string) => Stats): Stats | null {
  try {
    return stat(path);
  } catch {
    return null;
  }
}
