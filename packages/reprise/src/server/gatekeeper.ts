/** Who calls: by the token in the header, or by the cookie that a browser was given for one. */

import { createHmac, timingSafeEqual } from "node:crypto";
import { isAllowed, type Role } from "@reprise/core/api/role";
import { DeniedError } from "@reprise/core/errors/errors";
import type { Store } from "@reprise/store/store";
import { tokenHash } from "./tokens.ts";

export interface Caller {
  readonly name: string;
  readonly role: Role;
  /** He has the home's own token, and may act in the name of others. */
  readonly owner: boolean;
}

export interface GatekeeperOptions {
  readonly store: Pick<Store, "readToken" | "useToken">;
  /** The home's own; null lets everybody in who reaches the server. */
  readonly token: string | null;
  /** Name of whoever has the home's own token. */
  readonly owner: string;
  readonly now: () => number;
}

export const cookieName = "reprise_session";

/** How exactly it is known when a token was last used, in milliseconds. */
const useStep = 60_000;

export class Gatekeeper {
  readonly #options: GatekeeperOptions;
  readonly #ownHash: string | null;
  readonly #used = new Map<string, number>();

  constructor(options: GatekeeperOptions) {
    this.#options = options;
    this.#ownHash = options.token === null ? null : tokenHash(options.token);
  }

  /** Null for somebody who is not let in. */
  async callerOf(headers: { authorization?: string; cookie?: string }): Promise<Caller | null> {
    if (this.#ownHash === null) return this.#owner();
    const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
    if (headers.authorization !== undefined)
      return bearer === undefined ? null : this.#known(tokenHash(bearer));
    const hash = this.#hashIn(headers.cookie ?? "");
    return hash === null ? null : this.#known(hash);
  }

  /** What a browser keeps in a cookie's place of the token: of no use anywhere else. Null for an unknown one. */
  async cookieFor(token: string): Promise<string | null> {
    const hash = tokenHash(token);
    if (this.#ownHash !== null && (await this.#known(hash)) === null) return null;
    return `${hash}.${this.#seal(hash)}`;
  }

  async #known(hash: string): Promise<Caller | null> {
    if (this.#ownHash !== null && equal(hash, this.#ownHash)) return this.#owner();
    const { store, now } = this.#options;
    const token = await store.readToken(hash);
    if (token === null || token.revokedAt !== null) return null;
    const at = now();
    if (at - (this.#used.get(hash) ?? token.lastUsedAt ?? 0) >= useStep) {
      this.#used.set(hash, at);
      await store.useToken({ hash, at });
    }
    return { name: token.name, role: token.role, owner: false };
  }

  #owner(): Caller {
    return { name: this.#options.owner, role: "operator", owner: true };
  }

  #hashIn(cookies: string): string | null {
    const named = cookies.split(";").map((cookie) => cookie.trim().split("="));
    for (const [name, value = ""] of named) {
      const [hash = "", seal = ""] = name === cookieName ? value.split(".") : [];
      if (hash !== "" && equal(seal, this.#seal(hash))) return hash;
    }
    return null;
  }

  #seal(hash: string): string {
    const key = `cookie:${this.#options.token ?? ""}`;
    return createHmac("sha256", key).update(hash).digest("base64url");
  }
}

/** @throws DeniedError `role` when the caller may not do what needs `role`. */
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
