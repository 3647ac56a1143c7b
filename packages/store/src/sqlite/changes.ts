/**
 * Wakes callers that wait for a commit. Commits of this connection are known at once. Those of other connections
 * change SQLite's `data_version`, which is read while there are callers: it costs no table and takes no lock.
 */

/** Milliseconds between two readings of `data_version`. */
const interval = 20;

export class Changes {
  readonly #dataVersion: () => number;
  readonly #waiting = new Set<() => void>();
  #version: number | null = null;
  #mark = 1;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(dataVersion: () => number) {
    this.#dataVersion = dataVersion;
  }

  /** This connection has committed something. */
  committed(): void {
    this.#mark += 1;
    if (this.#waiting.size > 0) setImmediate(() => this.#wake());
  }

  /** A closed store wakes its callers: their next read fails and says so. */
  close(): void {
    this.#isClosed = true;
    this.#mark += 1;
    this.#wake();
  }

  async after(since: number, signal: AbortSignal): Promise<number> {
    for (;;) {
      this.#look();
      if (this.#mark !== since || signal.aborted || this.#isClosed) return this.#mark;
      await this.#woken(signal);
    }
  }

  async #woken(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    signal.addEventListener("abort", wake, { once: true });
    this.#timer ??= setInterval(() => this.#look(), interval);
    await promise;
    signal.removeEventListener("abort", wake);
    this.#waiting.delete(wake);
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    if (this.#isClosed) return;
    const before = this.#version;
    try {
      this.#version = this.#dataVersion();
    } catch {
      // It cannot be read now, and is read again soon; a caller that reads a table sees the error.
    }
    if (this.#version === before) return;
    this.#mark += 1;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
