/** Who may use the server: tokens, logins of browsers, and passphrases of gates. */

import type { Role } from "@reprise/core/api/role";
import type { DoneBy } from "./events.ts";

/** Gives a client access; only the digest of the token itself is stored. */
export interface Token {
  readonly hash: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** Null when it does not expire. */
  readonly expiresAt: number | null;
  /** May be in the future, if another token replaced this one and it stays valid until then. */
  readonly revokedAt: number | null;
}

/** A browser that logged in with a token; only the digest of its cookie is stored. */
export interface Login {
  readonly hash: string;
  /** Digest of the token. */
  readonly token: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface AccessStore {
  /** @throws TerminalError `token-exists` if another token of that name is valid. */
  createToken(
    token: Pick<Token, "hash" | "name" | "role" | "createdAt" | "expiresAt"> & DoneBy,
  ): Promise<void>;
  readToken(hash: string): Promise<Token | null>;
  /** Oldest first, including revoked ones. */
  listTokens(): Promise<Token[]>;
  /** Records when it was last used. */
  useToken(use: { hash: string; at: number }): Promise<void>;
  /**
   * Replaces a token by one with the same name and role. The earlier one and its logins end at `until`.
   * `lasts` is how long the new one is valid, in milliseconds: null for as long as the earlier one was.
   * @throws NotFoundError `no-token`
   */
  rotateToken(
    rotate: {
      name: string;
      hash: string;
      at: number;
      until: number;
      lasts: number | null;
    } & DoneBy,
  ): Promise<Token>;
  /** Also ends an earlier token of that name that was rotated. @throws NotFoundError `no-token` */
  revokeToken(revoke: { name: string; at: number } & DoneBy): Promise<Token>;
  /** Also removes expired logins. */
  createLogin(login: Login): Promise<void>;
  /** Also returns expired ones. */
  readLogin(hash: string): Promise<Login | null>;
  endLogin(end: { hash: string; at: number }): Promise<void>;
  /** Ends all logins: every browser must log in again. */
  endLogins(): Promise<void>;
  /** A hash replaces the existing one; null removes it. */
  setPassphrase(set: { name: string; hash: string | null; by: string; at: number }): Promise<void>;
  /** Ordered by name. */
  listPassphrases(): Promise<{ name: string; setAt: number }[]>;
  /** Counts a wrong try in advance and returns the hash, unless there were too many; null if there is no such name. */
  tryPassphrase(name: string): Promise<{ hash: string } | { blockedUntil: number } | null>;
  /** Resets the count after a correct try. */
  clearPassphraseTries(name: string): Promise<void>;
}
