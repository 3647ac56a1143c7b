/** How soon runs continue after their owner was killed. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { type BenchOptions, type Figure, milliseconds, type Section, thousands } from "../bench.ts";
import { Scratch } from "../scratch.ts";
import type { Counted } from "./contender.ts";
import { reprise } from "./entrants.ts";

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

export async function measureRecovery({
  quick,
  progress,
}: BenchOptions): Promise<{ figures: Figure[]; sections: Section[] }> {
  const runs = quick ? 100 : 1_000;
  const rounds = quick ? 1 : 3;
  const found: Recovery[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`recovery of ${thousands(runs)} runs, round ${round} of ${rounds}`);
    found.push(await recoverOnce(runs));
  }
  const slowest = Math.max(...found.map(({ all }) => all));
  const inFlight = Math.min(...found.map((recovery) => recovery.inFlight));
  return {
    figures: [
      {
        what: `kill -9 with ${thousands(inFlight)} runs in flight: from the start of the next process until all have written a step, slowest of ${rounds}`,
        measured: milliseconds(slowest),
        goal: `< ${thousands(goal)} ms`,
        met: inFlight === runs && slowest < goal,
      },
    ],
    sections: [
      {
        title: "Recovery",
        columns: [
          "round",
          "runs in flight",
          "home open",
          "first run advancing",
          "all advancing",
          "all have ended",
          "steps found afterwards",
        ],
        rows: found.map(({ inFlight, opened, first, all, ended, steps }, index) => [
          String(index + 1),
          thousands(inFlight),
          ...[opened, first, all, ended].map(milliseconds),
          thousands(steps),
        ]),
        method: `${thousands(runs)} runs of ${length} function nodes in a chain, all owned by one process, which is killed with SIGKILL when ${killedAt * 100} % of their events are written. Times from the start of a new process, which opens the home and calls \`runs.recover\`. A run is advancing when another process sees a step of it in the database that was not there before. When all have ended, every step must be there exactly once.`,
      },
    ],
  };
}

async function recoverOnce(runs: number): Promise<Recovery> {
  using scratch = new Scratch();
  const { folder } = scratch;
  const killed = await reprise.start();
  await killed.ask("open", { folder });
  using database = new DatabaseSync(join(folder, "home/reprise.db"), { readOnly: true });
  await killed.ask("begin", { count: 1, length });
  const whole = await until(() => sumOf(database, "ended_at IS NOT NULL"));
  await killed.ask("begin", { count: runs, length });
  await until(() => sumOf(database, "TRUE") >= whole * (1 + runs * killedAt));
  await killed.end("SIGKILL");

  const before = seqs(database);
  const began = performance.now();
  const since = () => performance.now() - began;
  const server = await reprise.start();
  await server.ask("open", { folder });
  const opened = since();
  const over = server.ask("recover").then(since);
  const advanced = () =>
    [...seqs(database, "TRUE")].filter(([id, seq]) => seq > (before.get(id) ?? seq)).length;
  await until(() => advanced() > 0);
  const first = since();
  await until(() => advanced() === before.size);
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
async function until<Value>(look: () => Value): Promise<Value> {
  for (;;) {
    const found = look();
    if (found) return found;
    await setTimeout(10);
  }
}

const seq = "(SELECT max(stream_seq) FROM event WHERE stream = 'run:' || run.id)";

function sumOf(database: DatabaseSync, which: string): number {
  const sql = `SELECT coalesce(sum(${seq}), 0) AS sum FROM run WHERE ${which}`;
  return (database.prepare(sql).get() as { sum: number }).sum;
}

function seqs(database: DatabaseSync, which = "ended_at IS NULL"): Map<string, number> {
  const rows = database.prepare(`SELECT id, ${seq} AS seq FROM run WHERE ${which}`).all();
  return new Map(rows.map(({ id, seq }) => [id as string, seq as number]));
}
