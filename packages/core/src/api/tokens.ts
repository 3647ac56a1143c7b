/** Tokens: the names and roles with which clients use the server of a home. */

import type { Role } from "./role.ts";

export interface CreateToken {
  /** Name of its owner, recorded with everything done with it. */
  name: string;
  role: Role;
  /** How long it is valid, in milliseconds; it does not expire unless given. */
  expiresIn?: number | null | undefined;
  /** Who creates it, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
}

export interface RotateToken {
  name: string;
  /** How long the earlier token stays valid, in milliseconds; 0 unless given. */
  grace?: number | null | undefined;
  /** How long the new one is valid, in milliseconds; as long as the earlier one was unless given. */
  expiresIn?: number | null | undefined;
  /** Who rotates it, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
}

export interface TokenView {
  name: string;
  role: Role;
  createdAt: number;
  lastUsedAt: number | null;
  /** null when it does not expire. */
  expiresAt: number | null;
  /** May be in the future, if another token replaced this one and it stays valid until then. */
  revokedAt: number | null;
}

/** A token that was just created; its text is shown only here. */
export interface NewToken {
  token: string;
  name: string;
  role: Role;
  expiresAt: number | null;
}

/** The tokens of the server. The home's own token, in its file `token`, is not among them. */
export interface TokensApi {
  /**
   * Lists all tokens, oldest first, including revoked ones, without their texts.
   * @example
   * for (const { name, role } of await reprise.tokens.list()) console.log(name, role);
   */
  list(): Promise<TokenView[]>;
  /**
   * Creates a token. Its text is in the answer, and is shown only once.
   * @throws TerminalError `token-exists` when another token of that name is valid, DeniedError `inside-turn` in a
   * process that an agent started.
   * @example
   * const { token } = await reprise.tokens.create({ name: "ci", role: "operator", expiresIn: 30 * 86_400_000 });
   */
  create(token: CreateToken): Promise<NewToken>;
  /**
   * Replaces a token by one with the same name and role. The earlier one ends at once, or after `grace`.
   * @throws NotFoundError `no-token`
   * @example
   * const { token } = await reprise.tokens.rotate({ name: "ci", grace: 3_600_000 });
   */
  rotate(rotate: RotateToken): Promise<NewToken>;
  /**
   * Revokes a token and ends its open requests. `by` is recorded with the event, and is your user's name unless given.
   * @throws NotFoundError `no-token`
   * @example
   * await reprise.tokens.revoke("ci");
   */
  revoke(name: string, options?: { by?: string }): Promise<TokenView>;
}
