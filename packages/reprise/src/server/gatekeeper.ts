/** Identifies the client: by the token in the header, or by the cookie of a browser that logged in with one. */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { isAllowed, type Role } from "@reprise/core/api/role";
import { DeniedError } from "@reprise/core/errors/errors";
import { sha256 } from "@reprise/engine/engine";
import { tokenHash } from "@reprise/engine/token-text";
import type { Store } from "@reprise/store/store";
import { HttpError, notLetIn, tokenExpired } from "./http-error.ts";

export interface Caller {
  /** Identifies the token, also if an earlier token had the same name. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Whether it has the home's own token, and may act in the name of others. */
  readonly owner: boolean;
}

export interface GatekeeperOptions {
  readonly store: Pick<Store, "readToken" | "useToken" | "createLogin" | "readLogin" | "endLogin">;
  /** The home, by a digest. */
  readonly home: string;
  /** Address of the proxy in front of the server; null when there is none. */
  readonly publicUrl: string | null;
  /** The home's own token; null lets every client in. */
  readonly token: string | null;
  /** Name of the user with the home's own token. */
  readonly owner: string;
  readonly now: () => number;
}

/** How long a login of a browser lasts, in milliseconds. */
const loginLasts = 30 * 24 * 60 * 60 * 1000;

/** Resolution of a token's last use, in milliseconds. */
const useStep = 60_000;

export class Gatekeeper {
  readonly #options: GatekeeperOptions;
  readonly #ownHash: string | null;
  readonly #used = new Map<string, number>();

  constructor(options: GatekeeperOptions) {
    this.#options = options;
    this.#ownHash = options.token === null ? null : tokenHash(options.token);
  }

  /** Returns the error for a client that has no valid token or login. */
  async callerOf(headers: {
    authorization?: string;
    cookie?: string;
  }): Promise<Caller | HttpError> {
    if (this.#ownHash === null) return this.#owner();
    const { authorization, cookie } = headers;
    if (authorization === undefined)
      return cookie === undefined ? notLetIn(false) : this.#loggedIn(cookie);
    const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return bearer === undefined ? notLetIn(true) : this.#known(tokenHash(bearer));
  }

  /**
   * The cookie for a browser with this token, or the error for a token that is not valid. The cookie is worthless
   * once its login has ended.
   */
  async login(token: string): Promise<string | HttpError> {
    const { store, now } = this.#options;
    const hash = tokenHash(token);
    if (this.#ownHash !== null) {
      const caller = await this.#known(hash);
      if (caller instanceof HttpError) return caller;
    }
    const secret = randomBytes(32).toString("base64url");
    const createdAt = now();
    const expiresAt = createdAt + loginLasts;
    await store.createLogin({ hash: loginHash(secret), token: hash, createdAt, expiresAt });
    return this.#cookie(secret, loginLasts / 1000);
  }

  /** Ends the login of a browser; returns the cookie that replaces the one it has. */
  async logout(cookies: string): Promise<string> {
    for (const secret of this.#secretsIn(cookies))
      await this.#options.store.endLogin({ hash: loginHash(secret), at: this.#options.now() });
    return this.#cookie("", 0);
  }

  /** Cookies are sent to every port of a host, so each home has its own name for its cookie. */
  get #cookieName(): string {
    return `reprise_${this.#options.home.slice(0, 12)}`;
  }

  #cookie(value: string, seconds: number): string {
    const secure = this.#options.publicUrl?.startsWith("https:") ? "; Secure" : "";
    return `${this.#cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
  }

  async #known(hash: string): Promise<Caller | HttpError> {
    if (this.#ownHash !== null && equal(hash, this.#ownHash)) return this.#owner();
    const { store, now } = this.#options;
    const token = await store.readToken(hash);
    if (token === null) return notLetIn(true);
    const at = now();
    const { name, role, expiresAt, revokedAt } = token;
    const ended = revokedAt !== null && revokedAt <= at;
    // An expired token that another one replaced later is still said to have expired.
    if (expiresAt !== null && expiresAt <= at && !(ended && revokedAt < expiresAt))
      return tokenExpired({ name, expiresAt });
    if (ended) return notLetIn(true);
    if (at - (this.#used.get(hash) ?? token.lastUsedAt ?? 0) >= useStep) {
      this.#used.set(hash, at);
      // When the disk is full, only the time of its last use is missing.
      await store.useToken({ hash, at }).catch(() => {});
    }
    return { id: hash, name, role, owner: false };
  }

  #owner(): Caller {
    return { id: "", name: this.#options.owner, role: "operator", owner: true };
  }

  async #loggedIn(cookies: string): Promise<Caller | HttpError> {
    const { store, now } = this.#options;
    for (const secret of this.#secretsIn(cookies)) {
      const login = await store.readLogin(loginHash(secret));
      if (login !== null && login.expiresAt > now()) return this.#known(login.token);
    }
    return notLetIn(true);
  }

  #secretsIn(cookies: string): string[] {
    return cookies
      .split(";")
      .map((cookie) => cookie.trim().split("="))
      .flatMap(([name, value = ""]) => (name === this.#cookieName && value ? [value] : []));
  }
}

function loginHash(secret: string): string {
  return sha256(`login:${secret}`);
}

/** @throws DeniedError `role` when the client's role does not include `role`. */
export function requireRole(caller: Caller, role: Role): void {
  if (isAllowed(caller.role, role)) return;
  throw new DeniedError(
    "role",
    `${caller.name} is ${caller.role}, and this needs ${role}.`,
    "Use a token with that role; nothing was changed.",
  );
}

function equal(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
