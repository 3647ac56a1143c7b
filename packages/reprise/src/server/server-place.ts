/**
 * The place of a server among those of its home. The first one has the lock, and its address is in `server.json`, where
 * commands find it. On PostgreSQL there may be more: each keeps its address in a file of its own, and one of them takes
 * the place of the first when that has ended.
 */

import { lockHome } from "./home-lock.ts";
import { besideRecord, removeRecord, type ServerRecord, writeRecord } from "./server-record.ts";

/** Between two tries to become the first, in milliseconds. */
const pause = 1000;

export class ServerPlace {
  readonly #home: string;
  #unlock: (() => void) | null = null;
  #record: ServerRecord | null = null;
  #file: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #taking: Promise<void> = Promise.resolve();

  constructor(home: string) {
    this.#home = home;
  }

  /** Whether this server is the first one now. */
  take(): boolean {
    this.#unlock ??= lockHome(this.#home);
    return this.#unlock !== null;
  }

  /** Makes the address known. */
  async record(record: ServerRecord): Promise<void> {
    this.#record = record;
    await this.#write();
    if (this.#unlock !== null) return;
    this.#timer = setInterval(() => {
      if (this.#unlock === null && this.take()) this.#taking = this.#write().catch(() => {});
    }, pause);
    this.#timer.unref();
  }

  /** Commands no longer find the server; another one becomes the first only after `leave`. */
  async withdraw(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#taking;
    if (this.#file !== null) await removeRecord(this.#home, this.#file);
    this.#file = null;
  }

  leave(): void {
    this.#unlock?.();
    this.#unlock = null;
  }

  async #write(): Promise<void> {
    const record = this.#record!;
    const before = this.#file;
    const file = this.#unlock === null ? besideRecord(record.url) : undefined;
    this.#file = await writeRecord(this.#home, record, file);
    if (before !== null) await removeRecord(this.#home, before);
  }
}
