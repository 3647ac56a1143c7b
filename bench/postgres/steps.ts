/** Durable steps per second on both stores: chains of function nodes, as in the bench of runs. */

import { tmpdir } from "node:os";
import { type BenchOptions, type Figure, type Section, thousands } from "../bench.ts";
import { summarize } from "../measure.ts";
import { type Entrant, reprise } from "../runs/entrants.ts";
import type { Speeds } from "../runs/racer.ts";
import { concurrencies, extentOf, race, roundsOf } from "../runs/steps.ts";
import type { BenchStore } from "../stores.ts";

/** Steps per second of a home on PostgreSQL, each on the disk, by how many chains run at a time. */
const goals = new Map([
  [1, 250],
  [50, 3_000],
]);

export async function measureStoreSteps(
  options: BenchOptions,
  stores: readonly BenchStore[],
): Promise<{ figures: Figure[]; sections: Section[] }> {
  const entrants: Entrant[] = [];
  for (const { name, newDatabase } of stores) {
    const [durable, asItComes] = [await newDatabase(), await newDatabase()];
    const every = "each result is on the disk before the next step begins";
    entrants.push({ ...reprise, name, database: durable, synchronisation: "full", how: every });
    const inner = "as it comes: a result of a function is on the disk somewhat later";
    entrants.push({ ...reprise, name, database: asItComes, how: inner });
  }
  const outcomes = await race({ commit: "of both stores", folder: tmpdir(), entrants }, options);

  const figures: Figure[] = [];
  const rows: string[][] = [];
  for (const [{ name, how, synchronisation }, outcome] of outcomes) {
    if ("problem" in outcome) throw new Error(outcome.problem);
    const { speeds, steps } = outcome;
    if (name === "PostgreSQL" && synchronisation === "full") figures.push(...figuresOf(speeds));
    const cells = concurrencies.map((concurrency) => thousands(medianOf(speeds, concurrency)));
    rows.push([name, how, ...cells, thousands(steps)]);
  }
  const columns = concurrencies.map((concurrency) => `steps/s, ${concurrency} at a time`);
  return {
    figures,
    sections: [
      {
        title: "Durable steps",
        columns: ["store", "synchronisation", ...columns, "steps found afterwards"],
        rows,
        method: roundsOf(extentOf(options)),
      },
    ],
  };
}

function figuresOf(speeds: Speeds): Figure[] {
  return [...goals].map(([concurrency, goal]) => {
    const speed = medianOf(speeds, concurrency);
    return {
      what: `steps/s on the disk, ${concurrency} at a time, PostgreSQL`,
      measured: thousands(speed),
      goal: `≥ ${thousands(goal)}`,
      met: speed >= goal,
    };
  });
}

function medianOf(speeds: Speeds, concurrency: number): number {
  return summarize(speeds.get(concurrency)!).median;
}
