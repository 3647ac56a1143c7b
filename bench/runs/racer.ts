/** One engine in the bench of steps: started anew in every round, so that nothing of the others runs then. */

import { type Counted, chainLength } from "./contender.ts";
import type { Entrant } from "./entrants.ts";

export interface Extent {
  /** Chains before each measurement. */
  readonly warmUp: number;
  /** Chains of one round, by how many run at a time. */
  readonly chains: ReadonlyMap<number, number>;
}

/** Steps per second of every round, by how many chains ran at a time. */
export type Speeds = ReadonlyMap<number, readonly number[]>;

export type Outcome =
  | { readonly speeds: Speeds; readonly steps: number }
  | { readonly problem: string };

type Asking = <Result>(verb: string, argument?: unknown) => Promise<Result>;

export class Racer {
  readonly #entrant: Entrant;
  readonly #folder: string;
  readonly #extent: Extent;
  readonly #speeds: Map<number, number[]>;
  #chains = 0;
  #problem: string | null;

  /** `problem`: why it cannot take part. */
  constructor(entrant: Entrant, folder: string, extent: Extent, problem: string | null) {
    this.#entrant = entrant;
    this.#folder = folder;
    this.#extent = extent;
    this.#speeds = new Map([...extent.chains.keys()].map((concurrency) => [concurrency, []]));
    this.#problem = problem;
  }

  race(round: number): Promise<void> {
    return this.#opened(async (ask) => {
      const run = (concurrency: number, count: number): Promise<number> => {
        const name = `round${round}-${this.#chains}`;
        this.#chains += count;
        return ask("chains", { name, count, concurrency });
      };
      await run(10, this.#extent.warmUp);
      for (const [concurrency, count] of this.#extent.chains) {
        const milliseconds = await run(concurrency, count);
        this.#speeds.get(concurrency)!.push((count * chainLength * 1000) / milliseconds);
      }
    });
  }

  /** Opens the database once more and counts: every step must be there exactly once. */
  async finish(): Promise<Outcome> {
    let counted: Counted | null = null;
    await this.#opened(async (ask) => {
      counted = await ask<Counted>("count");
    });
    if (counted === null) return { problem: this.#problem ?? "it was not counted" };
    const { chains, rows, steps } = counted as Counted;
    const expected = this.#chains * chainLength;
    if (chains === this.#chains && rows === expected && steps === expected)
      return { speeds: this.#speeds, steps };
    return {
      problem: `of ${expected} steps ${steps} are there, in ${rows} rows of ${chains} chains`,
    };
  }

  async #opened(work: (ask: Asking) => Promise<void>): Promise<void> {
    if (this.#problem !== null) return;
    const { synchronisation, database, start } = this.#entrant;
    try {
      const contender = await start();
      try {
        await contender.ask("open", { folder: this.#folder, database, synchronisation });
        await work((verb, argument) => contender.ask(verb, argument));
        await contender.ask("close");
      } finally {
        await contender.end();
      }
    } catch (error) {
      this.#problem = (error as Error).message.split("\n")[0]!;
    }
  }
}
