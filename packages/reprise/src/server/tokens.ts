/** The home's own token, in its file `token`, which allows everything. */

import { randomBytes } from "node:crypto";
import { link, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DeniedError } from "@reprise/core/errors/errors";
import { readNamedFile } from "@reprise/engine/named-file";
import { newToken } from "@reprise/engine/token-text";

/** The home's own token. It is created once, also when several processes do so at the same time. */
export async function homeToken(home: string): Promise<string> {
  const file = join(home, "token");
  const existing = await readToken(file);
  if (existing !== null) return existing;
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, `${newToken()}\n`, { mode: 0o600, flag: "wx" });
    await link(draft, file).catch((error) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const made = await readToken(file);
  if (made !== null) return made;
  throw badFile(file);
}

/** Null when there is no such file. @throws DeniedError for one that has no token. */
async function readToken(file: string): Promise<string | null> {
  const text = await readNamedFile(file, { limit: 4096, what: "file" })
    .then(String)
    .catch((error) => {
      if (error.code === "ENOENT") return null;
      throw badFile(file);
    });
  if (text === null) return null;
  // A short token could be guessed, and an empty one would let every client in.
  if (text.trim().length < 32) throw badFile(file);
  return text.trim();
}

function badFile(file: string): DeniedError {
  return new DeniedError(
    "bad-token-file",
    `The file ${file} cannot be read, or has no token.`,
    "Remove it; the next start creates a new one.",
  );
}
