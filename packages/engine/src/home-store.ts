/** Which database has the sessions of a home: the one in its folder, or one on a PostgreSQL server. */

import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { BusyError, UsageError } from "@reprise/core/errors/errors";
import { command, slot } from "@reprise/core/errors/hint";
import { redact } from "@reprise/core/session/redact";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import { openSqliteStore } from "@reprise/store/sqlite/open";
import type { Store } from "@reprise/store/store";
import { keyedDigest } from "./engine.ts";
import { type Home, readStoreRecord, storeRecordIn, writeStoreRecord } from "./home.ts";
import { passwordInFile } from "./pass-file.ts";
import { copyForReading } from "./read-only-database.ts";
import {
  isSameDatabase,
  parseStoreAddress,
  withoutPassword,
  withPassword,
} from "./store-address.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface HomeStore {
  /** The address to connect to, with the password if it is known here. */
  readonly url: string;
  /** Host, port and database, for display. */
  readonly name: string;
  /** The password, as it is and as an address has it, which no event may show. */
  readonly secrets: readonly string[];
}

/**
 * Null for a home with a database of its own. `given` is an address that the caller named. A home that has one
 * already keeps it.
 *
 * @throws UsageError `bad-store-address`, `store-differs`; StoreError `store-record`.
 */
export function homeStore(
  home: string,
  { given, env }: { readonly given?: string | undefined; readonly env: Environment },
): HomeStore | null {
  const recorded = readStoreRecord(home);
  // The whole address in REPRISE_STORE is for homes that have one; other homes need to be asked for it.
  const named = given ?? (recorded === null ? undefined : env.REPRISE_STORE || undefined);
  const address = named ?? recorded;
  if (address === null) return null;
  const { name, password: own } = parseStoreAddress(address);
  if (recorded !== null && !isSameDatabase(recorded, address))
    throw storeDiffers(home, parseStoreAddress(recorded).name, name);
  const password =
    own ??
    passwordOf(env.REPRISE_STORE, address) ??
    (env.PGPASSWORD || passwordInFile(address, env));
  const url = password === null || own !== null ? address : withPassword(address, password);
  const secrets = password === null ? [] : [password, encodeURIComponent(password)];
  return { url, name, secrets };
}

/** The password in a variable that has the whole address of this database. */
function passwordOf(whole: string | undefined, address: string): string | null {
  if (!whole) return null;
  const { password } = parseStoreAddress(whole);
  return isSameDatabase(whole, address) ? password : null;
}

/** @throws UsageError `store-has-sessions` if the home has something in a database of its own. */
async function requireEmptyHome(home: Home, { name }: HomeStore): Promise<void> {
  if (readStoreRecord(home.path) !== null || !existsSync(home.database)) return;
  const store = await openSqliteStore(home.database);
  try {
    if (await isEmpty(store)) return;
  } finally {
    await store.close();
  }
  throw new UsageError(
    "store-has-sessions",
    `The home ${home.path} has a database of its own, and does not use ${name}.`,
    `Move it to the other database with ${command("migrate", "--to", slot("ADDRESS"))}, or choose another home.`,
  );
}

async function isEmpty(store: Store): Promise<boolean> {
  if ((await store.countSessions({})) > 0 || (await store.countRuns({})) > 0) return false;
  const lists = await Promise.all([
    ...[store.listAgents(), store.listClasses(), store.listTokens()],
    ...[store.listPassphrases(), store.listWebhooks()],
  ]);
  return lists.every((list: readonly unknown[]) => list.length === 0);
}

interface Opening {
  readonly home: Home;
  /** Null for the home's own database. */
  readonly elsewhere: HomeStore | null;
  readonly secrets: readonly string[];
  readonly owner: ProcessIdentity;
  /** The clock of this process. */
  readonly now: () => number;
}

/**
 * Opens the database. One on a server belongs to the first home that opened it, and the home records its address.
 *
 * @throws UsageError `store-has-sessions`, BusyError `store-of-another-home`, and the errors of the store.
 */
export async function openHomeStore(opening: Opening): Promise<OpenedStore> {
  const { home, elsewhere, secrets, now } = opening;
  if (elsewhere === null) return openOwnDatabase(opening);
  await requireEmptyHome(home, elsewhere);
  const opened = await openStore(home, { url: elsewhere.url, secrets, now });
  try {
    await join(opened.store, elsewhere, opening);
    return opened;
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

/** While this process waited for the lock of the database, another one may have moved the home. */
async function openOwnDatabase({ home, secrets, now }: Opening): Promise<OpenedStore> {
  const opened = await openStore(home, { url: null, secrets, now });
  if (readStoreRecord(home.path) === null) return opened;
  await opened.store.close();
  await opened.cleanUp();
  throw new BusyError(
    "store-moved",
    `The home ${home.path} was being moved to another database.`,
    "It has been moved now: try again.",
  );
}

/** The id of the home among those that a database could belong to. */
export function storeIdOf({ secret }: Home): string {
  return keyedDigest(secret)("store");
}

async function join(
  store: Store,
  { url, name }: HomeStore,
  { home, owner, now }: Opening,
): Promise<void> {
  const id = storeIdOf(home);
  const first = await store.recordHome({ id, host: owner.host, path: home.path, at: now() });
  if (first.id !== id)
    throw new BusyError(
      "store-of-another-home",
      `The database ${name} belongs to the home ${first.path} on ${first.host}, so the home ${home.path} cannot use it.`,
      "Give each home a database of its own.",
    );
  if (home.isReadOnly || readStoreRecord(home.path) === withoutPassword(url)) return;
  writeStoreRecord(home.path, url);
}

/** The environment for agents: without what gives access to the database of all sessions. */
export function withoutStoreAccess(env: Environment, elsewhere: HomeStore | null): Environment {
  const { REPRISE_STORE: _, PGPASSWORD: password, ...rest } = env;
  const keepsPassword = elsewhere === null && password !== undefined;
  return keepsPassword ? { ...rest, PGPASSWORD: password } : rest;
}

function storeDiffers(home: string, recorded: string, given: string): UsageError {
  return new UsageError(
    "store-differs",
    `The home ${home} has its sessions in the database ${recorded}, not in ${given}.`,
    `Leave the address out. If the database was moved, write its new address into ${storeRecordIn(home)}.`,
  );
}

// Opens the store of a home: the SQLite database in its folder, or a database on a PostgreSQL server.

interface OpenStoreOptions {
  /** Address of a PostgreSQL database; null for the home's own database. */
  readonly url: string | null;
  /** Values that no event may show. */
  readonly secrets: readonly string[];
  /** Another clock than the system's becomes the store's. */
  readonly now?: (() => number) | undefined;
}

interface OpenedStore {
  readonly store: Store;
  /** Removes what was made to read a home that cannot be written. */
  readonly cleanUp: () => Promise<void>;
}

async function openStore(
  home: Home,
  { url, secrets, now }: OpenStoreOptions,
): Promise<OpenedStore> {
  const options = {
    redact: (text: string) => redact(text, secrets),
    home: await realpath(home.path),
    ...(now && now !== Date.now && { now }),
  };
  if (url !== null) {
    // Loaded only here: homes without PostgreSQL start faster without its client.
    const { openPostgresStore } = await import("@reprise/store/postgres/open");
    return { store: await openPostgresStore(url, options), cleanUp: async () => {} };
  }
  const reading = home.isReadOnly ? await copyForReading(home.database) : null;
  return {
    store: await openSqliteStore(reading?.copy ?? home.database, options),
    cleanUp: async () => reading?.remove(),
  };
}

// This process's clock, corrected to the store's: hosts that share a database may have clocks that differ, and what
// one of them writes as a deadline is due by the clock of the database.

/** Milliseconds between two comparisons. */
const interval = 60_000;

/** A difference of so few milliseconds is more likely the way to the store than that of the clocks. */
const negligible = 50;

export class StoreClock {
  readonly #store: Pick<Store, "now">;
  readonly #own: () => number;
  readonly #timer: NodeJS.Timeout;
  #ahead = 0;

  static async open(store: Pick<Store, "now">, own: () => number): Promise<StoreClock> {
    const clock = new StoreClock(store, own);
    await clock.#compare();
    return clock;
  }

  private constructor(store: Pick<Store, "now">, own: () => number) {
    this.#store = store;
    this.#own = own;
    this.#timer = setInterval(() => void this.#compare().catch(() => {}), interval);
    this.#timer.unref();
  }

  readonly now = (): number => this.#own() + this.#ahead;

  close(): void {
    clearInterval(this.#timer);
  }

  async #compare(): Promise<void> {
    const before = this.#own();
    const there = await this.#store.now();
    const ahead = Math.round(there - (before + this.#own()) / 2);
    this.#ahead = Math.abs(ahead) > negligible ? ahead : 0;
  }
}
