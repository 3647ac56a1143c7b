/**
 * Tokens: the home's own, in its file `token`, which allows everything, and further ones with a name and
 * a role, of which the store keeps only digests.
 */

import { randomBytes } from "node:crypto";
import { link, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Role, roles } from "@reprise/core/api/role";
import { DeniedError, UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import { sha256 } from "@reprise/engine/digest";
import { readNamedFile } from "@reprise/engine/named-file";
import type { Token } from "@reprise/store/contract/access";
import type { DoneBy } from "@reprise/store/contract/events";
import type { Store } from "@reprise/store/store";

export type TokenView = Omit<Token, "hash">;

export interface NewToken {
  token: string;
  name: string;
  role: Role;
  /** Null when it does not expire. */
  expiresAt: number | null;
}

const grammar = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** The digest that is stored for a token. */
export function tokenHash(token: string): string {
  return sha256(`token:${token}`);
}

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

/** The token itself is shown only once. */
export async function createToken(
  store: Pick<Store, "createToken">,
  {
    name,
    role,
    lasts = null,
    by,
    at,
  }: { name: string; role: string; lasts?: number | null; at: number } & DoneBy,
): Promise<NewToken> {
  if (!grammar.test(name))
    throw new UsageError(
      "bad-name",
      `"${name.slice(0, 80)}" is not a token's name.`,
      "Use 1 to 64 letters, digits, dots, underscores, dashes or @, beginning with a letter or a digit.",
    );
  const known = roles.find((each) => each === role);
  if (known === undefined)
    throw new UsageError("unknown-role", `There is no role "${role}".`, suggest(role, roles));
  const token = newToken();
  const expiresAt = lasts === null ? null : at + lasts;
  const made = { hash: tokenHash(token), name, role: known, createdAt: at, expiresAt };
  await store.createToken({ ...made, by });
  return { token, name, role: known, expiresAt };
}

/** The new token is shown only once. The earlier one stays valid for `grace` milliseconds. */
export async function rotateToken(
  store: Pick<Store, "rotateToken">,
  {
    name,
    grace = 0,
    lasts = null,
    by,
    at,
  }: { name: string; grace?: number; lasts?: number | null; at: number } & DoneBy,
): Promise<NewToken> {
  const token = newToken();
  const rotate = { name, hash: tokenHash(token), at, until: at + grace, lasts, by };
  const { role, expiresAt } = await store.rotateToken(rotate);
  return { token, name, role, expiresAt };
}

export async function listTokens(store: Pick<Store, "listTokens">): Promise<TokenView[]> {
  return (await store.listTokens()).map(tokenView);
}

export async function revokeToken(
  store: Pick<Store, "revokeToken">,
  revoke: { name: string; at: number } & DoneBy,
): Promise<TokenView> {
  return tokenView(await store.revokeToken(revoke));
}

function tokenView({ hash: _, ...token }: Token): TokenView {
  return token;
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}
