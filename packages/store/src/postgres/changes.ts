/**
 * Wakes callers that wait for a commit. Commits of this store are known at once, and other stores are notified of
 * them soon after: a notification within the transaction would make all commits wait for each other.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type ConnectionOptions, PostgresConnection } from "./connection.ts";
import type { Pool } from "./pool.ts";

/** Milliseconds within which several commits share a notification. */
const interval = 20;

/** Milliseconds of waiting after which callers are woken anyway: a process may die before it notifies the others. */
const longest = 1000;

const channel = "reprise_changes";

export class PostgresChanges {
  readonly #pool: Pool;
  readonly #options: ConnectionOptions;
  readonly #id = randomUUID();
  readonly #closing = new AbortController();
  readonly #waiting = new Set<() => void>();
  #connection: PostgresConnection | null = null;
  #connecting: Promise<void> | null = null;
  #isNotifying = false;
  #notified: Promise<unknown> = Promise.resolve();
  #mark = 1;
  /** How long callers have waited since the last change, in milliseconds, each of them for a short time perhaps. */
  #waited = 0;

  constructor(pool: Pool, options: ConnectionOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  /** This store has committed something. */
  committed(): void {
    this.#changed();
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    this.#notified = Promise.all([this.#notified, this.#notify()]);
  }

  async after(since: number, signal: AbortSignal): Promise<number> {
    for (;;) {
      const listening = this.#listen();
      // A connection that was lost may take long to come back; the caller is woken meanwhile, and may stop waiting.
      if (this.#connection === null) await listening;
      if (this.#mark !== since || signal.aborted || this.#closing.signal.aborted) return this.#mark;
      await this.#woken(signal);
    }
  }

  /** A closed store wakes its callers: their next read fails and says so. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#changed();
    await this.#notified;
    await this.#connecting;
    await this.#connection?.close();
  }

  #changed(): void {
    this.#mark += 1;
    this.#waited = 0;
    for (const wake of this.#waiting) wake();
  }

  async #woken(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const wake = () => resolve();
    signal.addEventListener("abort", wake, { once: true });
    const [began, before] = [performance.now(), this.#mark];
    const timer = setTimeout(() => this.#changed(), Math.max(longest - this.#waited, 0));
    await promise;
    clearTimeout(timer);
    if (this.#mark === before) this.#waited += performance.now() - began;
    signal.removeEventListener("abort", wake);
    this.#waiting.delete(resolve);
  }

  async #listen(): Promise<void> {
    if (this.#closing.signal.aborted || this.#connection?.isLost === false) return;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    await this.#connecting;
  }

  /** What others committed while there was no connection is unknown, so a new one counts as a change. */
  async #connect(): Promise<void> {
    const receive = (sender: string) => {
      if (sender !== this.#id) this.#changed();
    };
    try {
      this.#connection = await PostgresConnection.listen(this.#options, channel, receive);
      this.#changed();
    } catch {
      // The callers wait, are woken after a while, and their next read says that the server cannot be reached.
    }
  }

  async #notify(): Promise<void> {
    await pause(interval, null, { signal: this.#closing.signal }).catch(() => null);
    this.#isNotifying = false;
    // Nothing is lost with it, so it does not wait for the disk.
    const notify = (connection: PostgresConnection) =>
      connection.query(
        "SELECT set_config('synchronous_commit', 'off', true), pg_notify(:channel, :sender)",
        { channel, sender: this.#id },
      );
    // If it fails, the others look after a while.
    await this.#pool.use(notify).catch(() => null);
  }
}
