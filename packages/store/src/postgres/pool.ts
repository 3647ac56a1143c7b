/** The connections of one store: opened when they are needed, and used by one transaction at a time. */

import { type ConnectionOptions, PostgresConnection } from "./connection.ts";

export interface PoolOptions extends ConnectionOptions {
  /** Called with each new connection before it is used. */
  readonly prepare: (connection: PostgresConnection) => Promise<void>;
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #max: number;
  readonly #idle: PostgresConnection[] = [];
  readonly #waiting: (() => void)[] = [];
  #open = 0;

  constructor(options: PoolOptions, { max = 8 } = {}) {
    this.#options = options;
    this.#max = max;
  }

  async use<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#take();
    try {
      return await work(connection);
    } finally {
      this.#give(connection);
    }
  }

  /** Waits for the transactions that run. */
  async close(): Promise<void> {
    while (this.#open > this.#idle.length)
      await new Promise<void>((free) => this.#waiting.push(free));
    await Promise.all(this.#idle.map((connection) => connection.close()));
  }

  async #take(): Promise<PostgresConnection> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle !== undefined && !idle.isLost) return idle;
      if (idle !== undefined) this.#open -= 1;
      else if (this.#open < this.#max) return this.#connect();
      else await new Promise<void>((free) => this.#waiting.push(free));
    }
  }

  async #connect(): Promise<PostgresConnection> {
    this.#open += 1;
    try {
      return await this.#openConnection();
    } catch (error) {
      this.#open -= 1;
      this.#waiting.shift()?.();
      throw error;
    }
  }

  async #openConnection(): Promise<PostgresConnection> {
    const connection = await PostgresConnection.open(this.#options);
    try {
      await this.#options.prepare(connection);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  #give(connection: PostgresConnection): void {
    if (connection.isLost) this.#open -= 1;
    else this.#idle.push(connection);
    this.#waiting.shift()?.();
  }
}
