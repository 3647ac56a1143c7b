/** The digests by which the accounts of API keys are compared. */

import { randomBytes } from "node:crypto";
import { storeKeyed } from "@reprise/core/session/account";
import type { Store } from "@reprise/store/store";
import { keyedDigest } from "./digest.ts";
import type { Home } from "./home.ts";

export interface AccountDigests {
  /** Keyed by the secret of the store, so that every server of it gets the same. */
  digest(credential: string): string;
  /** The account as pins name it that were written before stores had a secret: keyed by the secret of the home. */
  before(account: string | null): string | null;
}

export class Accounts {
  readonly #store: Pick<Store, "readSecret" | "recordSecret">;
  readonly #home: Pick<Home, "secret">;
  #secret: Promise<string> | null = null;

  constructor(store: Pick<Store, "readSecret" | "recordSecret">, home: Pick<Home, "secret">) {
    this.#store = store;
    this.#home = home;
  }

  /** For one look at the account of an agent. The secret of the store is read once, and made if there is none. */
  async digests(): Promise<AccountDigests> {
    this.#secret ??= this.#readSecret();
    const secret = await this.#secret.catch((error) => {
      this.#secret = null;
      throw error;
    });
    const now = keyedDigest(secret);
    const then = keyedDigest(this.#home.secret);
    const digested = new Map<string, string>();
    return {
      digest(credential) {
        const digest = storeKeyed(now(credential));
        digested.set(digest, then(credential));
        return digest;
      },
      before(account) {
        let named = account;
        for (const [digest, before] of digested) named = named?.replaceAll(digest, before) ?? null;
        return named;
      },
    };
  }

  async #readSecret(): Promise<string> {
    const recorded = await this.#store.readSecret();
    return recorded ?? this.#store.recordSecret({ secret: randomBytes(32).toString("hex") });
  }
}
