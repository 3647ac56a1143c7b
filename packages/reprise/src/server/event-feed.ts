/**
 * The event log for many readers: it is read once for all of them after a commit, and only while there are readers.
 * The newest events stay in memory; a reader that is further behind reads the store until it has caught up.
 */

import { setImmediate as immediate } from "node:timers/promises";
import type { EventView } from "@reprise/core/api/reprise";
import { nextChange } from "@reprise/engine/changes";
import type { Store } from "@reprise/store/store";

const batch = 500;
/** Events read at once for a reader that is further behind than the events in memory. */
const batchBehind = 100;
const kept = 1000;
/** Milliseconds after which the log is read even if no commit was noticed, because the store could not be read. */
const pause = 1000;

export class EventFeed {
  readonly #store: Pick<Store, "readEvents" | "lastEvent" | "changes">;
  readonly #waiting = new Set<() => void>();
  /** All events after `#base`, up to `#last`. */
  readonly #recent: EventView[] = [];
  #base = 0;
  #last: number | null = null;
  #behind: Promise<void> = Promise.resolve();
  #looking = false;
  #readers = 0;

  constructor(store: Pick<Store, "readEvents" | "lastEvent" | "changes">) {
    this.#store = store;
  }

  /** How many streams are open. */
  get readers(): number {
    return this.#readers;
  }

  /** The seq of the newest event. */
  now(): Promise<number> {
    return this.#store.lastEvent();
  }

  /** Every event after `after`, once and in order, until `signal` aborts. */
  async *events(after: number, signal: AbortSignal): AsyncGenerator<EventView> {
    this.#readers += 1;
    try {
      for (let last = after; !signal.aborted; ) {
        const events = await this.#read(last);
        for (const event of events) {
          if (signal.aborted) return;
          yield event;
          last = event.seq;
        }
        if (events.length === 0) await this.changed(last, signal);
      }
    } finally {
      this.#readers -= 1;
    }
  }

  /** Waits until there is an event after `seq`, or `signal` aborts. */
  async changed(seq: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (this.#last === null || this.#last <= seq)) {
      const woken = Promise.withResolvers<void>();
      const wake = () => woken.resolve();
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
      this.#look();
      await woken.promise;
      this.#waiting.delete(wake);
      signal.removeEventListener("abort", wake);
    }
  }

  async #read(after: number): Promise<readonly EventView[]> {
    if (this.#last === null || after < this.#base) return this.#readBehind(after);
    const next = this.#recent.findIndex(({ seq }) => seq > after);
    return next < 0 ? [] : this.#recent.slice(next, next + batch);
  }

  /** One reader at a time, in turns, so that readers far behind do not delay the others. */
  #readBehind(after: number): Promise<readonly EventView[]> {
    const read = this.#behind
      .then(() => immediate())
      .then(() => this.#store.readEvents({ after, limit: batchBehind }));
    this.#behind = read.then(
      () => {},
      () => {},
    );
    return read;
  }

  #look(): void {
    if (this.#looking) return;
    this.#looking = true;
    this.#lookOn().finally(() => {
      this.#looking = false;
      // A reader may have come since the last poll.
      if (this.#waiting.size > 0) this.#look();
    });
  }

  async #lookOn(): Promise<void> {
    for (let mark = 0; this.#waiting.size > 0; ) {
      mark = await nextChange(this.#store, mark, { atMost: pause });
      // The store may be readable again in a moment, and no reader must miss an event.
      const found = await this.#lookOnce().catch(() => false);
      if (found) for (const wake of this.#waiting) wake();
      if (found) return;
    }
  }

  async #lookOnce(): Promise<boolean> {
    if (this.#last === null) {
      this.#base = await this.#store.lastEvent();
      this.#last = this.#base;
      return true;
    }
    const events = await this.#store.readEvents({ after: this.#last, limit: batch });
    for (const event of events) this.#recent.push(event);
    this.#last = events.at(-1)?.seq ?? this.#last;
    const dropped = this.#recent.splice(0, Math.max(0, this.#recent.length - kept));
    this.#base = dropped.at(-1)?.seq ?? this.#base;
    return events.length > 0;
  }
}
