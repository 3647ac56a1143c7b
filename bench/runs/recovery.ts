/** How soon runs continue after their owner was killed. */

import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type BenchOptions, type Figure, milliseconds, type Section, thousands } from "../bench.ts";
import { Scratch } from "../scratch.ts";
import type { BenchStore } from "../stores.ts";
import type { Counted } from "./contender.ts";
import { reprise } from "./entrants.ts";
import { HomeDatabase } from "./home-database.ts";

const goal = 3_000;
const length = 20;
/** The part of their events that the runs have written when the process is killed. */
const killedAt = 0.4;

interface Recovery {
  /** Runs that had begun and not ended. */
  readonly inFlight: number;
  /** Milliseconds from the start of the new process. */
  readonly opened: number;
  readonly first: number;
  readonly all: number;
  readonly ended: number;
  readonly steps: number;
}

export async function measureRecovery(
  { quick, progress }: BenchOptions,
  stores: readonly BenchStore[],
): Promise<{ figures: Figure[]; sections: Section[] }> {
  const runs = quick ? 100 : 1_000;
  const rounds = quick ? 1 : 3;
  const found = new Map<BenchStore, Recovery[]>(stores.map((store) => [store, []]));
  for (let round = 1; round <= rounds; round += 1)
    for (const [store, recoveries] of found) {
      progress(`recovery of ${thousands(runs)} runs, ${store.name}, round ${round} of ${rounds}`);
      recoveries.push(await recoverOnce(runs, store));
    }
  return {
    figures: [...found].map(([{ name }, recoveries]) => {
      const slowest = Math.max(...recoveries.map(({ all }) => all));
      const inFlight = Math.min(...recoveries.map((recovery) => recovery.inFlight));
      return {
        what: `${stores.length === 1 ? "" : `${name}, `}kill -9 with ${thousands(inFlight)} runs in flight: from the start of the next process until all have written a step, slowest of ${rounds}`,
        measured: milliseconds(slowest),
        goal: `< ${thousands(goal)} ms`,
        met: inFlight === runs && slowest < goal,
      };
    }),
    sections: [
      {
        title: "Recovery",
        columns: [
          "store",
          "round",
          "runs in flight",
          "home open",
          "first run advancing",
          "all advancing",
          "all have ended",
          "steps found afterwards",
        ],
        rows: [...found].flatMap(([{ name }, recoveries]) =>
          recoveries.map(({ inFlight, opened, first, all, ended, steps }, index) => [
            ...[name, String(index + 1), thousands(inFlight)],
            ...[opened, first, all, ended].map(milliseconds),
            thousands(steps),
          ]),
        ),
        method: `${thousands(runs)} runs of ${length} function nodes in a chain, all owned by one process, which is killed with SIGKILL when ${killedAt * 100} % of their events are written. Times from the start of a new process, which opens the home and calls \`runs.recover\`. A run is advancing when another process sees a step of it in the database that was not there before. When all have ended, every step must be there exactly once.`,
      },
    ],
  };
}

async function recoverOnce(runs: number, store: BenchStore): Promise<Recovery> {
  using scratch = new Scratch();
  const home = { folder: scratch.folder, database: await store.newDatabase() };
  const killed = await reprise.start();
  await killed.ask("open", home);
  await using database = await HomeDatabase.open(join(home.folder, "home"), home.database);
  await killed.ask("begin", { count: 1, length });
  const whole = await until(() => sumOf(database, "ended_at IS NOT NULL"));
  await killed.ask("begin", { count: runs, length });
  await until(async () => (await sumOf(database, "TRUE")) >= whole * (1 + runs * killedAt));
  await killed.end("SIGKILL");

  const before = await seqs(database);
  const began = performance.now();
  const since = () => performance.now() - began;
  const server = await reprise.start();
  await server.ask("open", home);
  const opened = since();
  const over = server.ask("recover").then(since);
  const advanced = async () =>
    [...(await seqs(database, "TRUE"))].filter(([id, seq]) => seq > (before.get(id) ?? seq)).length;
  await until(async () => (await advanced()) > 0);
  const first = since();
  await until(async () => (await advanced()) === before.size);
  const all = since();
  const ended = await over;
  const { chains, rows, steps } = await server.ask<Counted>("count");
  await server.ask("close");
  await server.end();
  const expected = (runs + 1) * length;
  if (chains !== runs + 1 || rows !== expected || steps !== expected)
    throw new Error(`of ${expected} steps ${steps} are there, in ${rows} rows of ${chains} runs`);
  return { inFlight: before.size, opened, first, all, ended, steps };
}

/** Looks until it is so; what it then is. */
async function until<Value>(look: () => Promise<Value>): Promise<Value> {
  for (;;) {
    const found = await look();
    if (found) return found;
    // The database has to answer each look, beside the work that is measured.
    await setTimeout(50);
  }
}

const seq = "(SELECT max(stream_seq) FROM event WHERE stream = 'run:' || run.id)";

async function sumOf(database: HomeDatabase, which: string): Promise<number> {
  const sql = `SELECT coalesce(sum(${seq}), 0) AS sum FROM run WHERE ${which}`;
  const [row] = await database.all<{ sum: number }>(sql);
  return row!.sum;
}

async function seqs(
  database: HomeDatabase,
  which = "ended_at IS NULL",
): Promise<Map<string, number>> {
  const rows = await database.all<{ id: string; seq: number }>(
    `SELECT id, ${seq} AS seq FROM run WHERE ${which}`,
  );
  return new Map(rows.map(({ id, seq }) => [id, seq]));
}
