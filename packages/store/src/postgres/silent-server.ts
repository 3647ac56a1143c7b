/**
 * Ends a connection whose server does not answer any more. A server that lost its power closes no connection, and what
 * was sent to it is repeated for a quarter of an hour before the system gives up. Some statements take long, so a
 * silent server is asked about the connection over another one.
 */

import type { Socket } from "node:net";
import pg from "pg";
import { isLost } from "./errors.ts";

export interface SilentServerOptions {
  readonly url: string;
  readonly socket: Socket;
  /** Milliseconds without a byte from the server after which it is asked, and within which it has to answer. */
  readonly within: number;
  /** The connection's process on the server; null until it is known. */
  readonly process: () => number | null;
}

export class SilentServer {
  readonly #options: SilentServerOptions;
  readonly #timer: NodeJS.Timeout;
  #unanswered = 0;
  /** How much the server had sent at the last look, if a statement was without an answer then. */
  #seen: number | null = null;
  #isAsking = false;

  constructor(options: SilentServerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#look(), options.within);
    this.#timer.unref();
    options.socket.once("close", () => clearInterval(this.#timer));
  }

  /** Watches until the statement is answered. */
  watch<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.#unanswered += 1;
    const answered = () => {
      this.#unanswered -= 1;
    };
    answer.then(answered, answered);
    return answer;
  }

  async #look(): Promise<void> {
    const { socket } = this.#options;
    const before = this.#seen;
    this.#seen = this.#unanswered > 0 ? socket.bytesRead : null;
    if (this.#isAsking || this.#seen === null || this.#seen !== before) return;
    this.#isAsking = true;
    const isWorking = await this.#isWorking();
    this.#isAsking = false;
    if (!isWorking && socket.bytesRead === before) socket.destroy();
  }

  /**
   * Whether the server still works on a statement of the connection. If it waits for one instead, the statement or
   * its answer was lost.
   */
  async #isWorking(): Promise<boolean> {
    const { url, within, process } = this.#options;
    const other = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: within,
      query_timeout: within,
    });
    other.on("error", () => {});
    try {
      await other.connect();
      const { rows } = await other.query<{ works: boolean }>(
        "SELECT state NOT LIKE 'idle%' AS works FROM pg_stat_activity WHERE pid = $1",
        [process()],
      );
      return rows[0]?.works ?? false;
    } catch (error) {
      // A server that refuses the other connection answers at least.
      return !isLost(error);
    } finally {
      void other.end().catch(() => {});
    }
  }
}
