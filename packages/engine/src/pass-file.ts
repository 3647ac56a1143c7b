/** The passfile of PostgreSQL: a line for each password, `host:port:database:user:password`. */

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Group and all others; PostgreSQL's own programs ignore a file that they can read. */
const others = 0o077;

type Environment = Readonly<Record<string, string | undefined>>;

/** `env` may name it in PGPASSFILE. */
export function passFile(env: Environment): string {
  return env.PGPASSFILE || join(env.HOME || homedir(), ".pgpass");
}

/** Null when there is no line for the address. */
export function passwordInFile(address: string, env: Environment): string | null {
  const wanted = fieldsOf(new URL(address), env);
  for (const line of linesOf(passFile(env))) {
    if (line.startsWith("#")) continue;
    // A backslash makes the next character a part of the field.
    const fields = [...line.matchAll(/((?:\\.|[^\\:])*)(?::|$)/g)].map(([, field = ""]) =>
      field.replace(/\\(.)/g, "$1"),
    );
    const password = fields[wanted.length];
    if (password && wanted.every((value, index) => ["*", value].includes(fields[index]!)))
      return password;
  }
  return null;
}

function fieldsOf(
  { hostname, port, pathname, username, searchParams }: URL,
  env: Environment,
): readonly string[] {
  return [
    hostname || searchParams.get("host") || "localhost",
    port || searchParams.get("port") || "5432",
    decodeURIComponent(pathname.slice(1)),
    decodeURIComponent(username) || searchParams.get("user") || env.PGUSER || env.USER || "",
  ];
}

function linesOf(file: string): readonly string[] {
  try {
    const { mode } = statSync(file);
    const isPrivate = process.platform === "win32" || (mode & others) === 0;
    return isPrivate ? readFileSync(file, "utf8").split(/\r?\n/) : [];
  } catch {
    return [];
  }
}
