/** Tokens with a name and a role, of which the store keeps only digests. */

import { parse } from "@reprise/core/api/parse";
import type { NewToken, TokensApi, TokenView } from "@reprise/core/api/reprise";
import { roles } from "@reprise/core/api/role";
import { createTokenSchema, rotateTokenSchema } from "@reprise/core/api/token-schemas";
import { UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import type { Token } from "@reprise/store/contract/access";
import type { DoneBy } from "@reprise/store/contract/events";
import type { Store } from "@reprise/store/store";
import { actor, type Engine } from "./engine.ts";
import { requireOutsideTurn } from "./outside-turn.ts";
import { newToken, tokenHash } from "./token-text.ts";

const grammar = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** An agent that could give itself a token could answer its own gates. */
export function tokensOf(engine: Engine): TokensApi {
  const { store, now } = engine;
  return {
    async list() {
      requireOutsideTurn("list tokens");
      return (await store.listTokens()).map(tokenView);
    },
    async create(input) {
      requireOutsideTurn("create a token");
      const { name, role, expiresIn = null, by } = parse(createTokenSchema(), input);
      const times = { lasts: expiresIn, at: now() };
      return createToken(store, { name, role, ...times, by: actor(engine, by) });
    },
    async rotate(input) {
      requireOutsideTurn("rotate a token");
      const { name, grace, expiresIn = null, by } = parse(rotateTokenSchema(), input);
      const times = { grace: grace ?? 0, lasts: expiresIn, at: now() };
      return rotateToken(store, { name, ...times, by: actor(engine, by) });
    },
    async revoke(name, { by } = {}) {
      requireOutsideTurn("revoke a token");
      return tokenView(await store.revokeToken({ name, by: actor(engine, by), at: now() }));
    },
  };
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

function tokenView({ hash: _, ...token }: Token): TokenView {
  return token;
}
