/** What many parked gates cost the process that has the home open. */

import { type BenchOptions, type Figure, milliseconds, type Section, thousands } from "../bench.ts";
import { type Summary, summarize, timed } from "../measure.ts";
import { Scratch } from "../scratch.ts";
import type { BenchStore } from "../stores.ts";
import { reprise } from "./entrants.ts";
import type { Idle } from "./reprise.ts";

const goals = { share: 0.01, megabytes: 250, start: 2_000 };
const answers = 100;

interface Gates {
  readonly share: number;
  readonly followingShare: number;
  readonly residentBytes: number;
  /** Milliseconds from the start of the process until the home is open and nothing is left to recover. */
  readonly started: number;
  readonly opened: number;
  readonly recovered: number;
  readonly answered: Summary;
  readonly parkedPerSecond: number;
}

export async function measureGates(
  { quick, progress }: BenchOptions,
  stores: readonly BenchStore[],
): Promise<{ figures: Figure[]; sections: Section[] }> {
  const gates = quick ? 2_000 : 100_000;
  const seconds = quick ? 2 : 20;
  const found: Gates[] = [];
  for (const store of stores) {
    progress(`${thousands(gates)} parked gates, ${store.name}`);
    found.push(await measure(store, gates, seconds));
  }
  const many = `${thousands(gates)} parked gates`;
  const row = (what: string, cell: (of: Gates) => string) => [what, ...found.map(cell)];
  return {
    figures: found.flatMap((of, index) =>
      figuresOf(of, stores.length === 1 ? many : `${stores[index]!.name}, ${many}`),
    ),
    sections: [
      {
        title: "Parked gates",
        columns: [many, ...stores.map(({ name }) => name)],
        rows: [
          row("processor while nothing happens, of one core", ({ share }) => percent(share)),
          row("the same while a client follows the events of the home", ({ followingShare }) =>
            percent(followingShare),
          ),
          row("resident memory", megabytes),
          row("from the start of the process until open and recovered", ({ started }) =>
            milliseconds(started),
          ),
          row("of this: openReprise", ({ opened }) => milliseconds(opened)),
          row("of this: runs.recover", ({ recovered }) => milliseconds(recovered)),
          row("answer one and carry its run to the end, median", ({ answered }) =>
            milliseconds(answered.median),
          ),
          row("the same, p99", ({ answered }) => milliseconds(answered.p99)),
          row(
            "start a run and park it, 200 at a time",
            ({ parkedPerSecond }) => `${thousands(parkedPerSecond)} per second`,
          ),
        ],
        method: `${thousands(gates)} runs of a workflow with a gate and a step after it, started through the library, each parked at its gate with a deadline in 30 days. Then a new process opens the home, recovers, does nothing for ${seconds} s, follows the events of the home for as long, and answers ${answers} of them one after the other. Processor and memory are those of the process that has the home open.`,
      },
    ],
  };
}

async function measure(store: BenchStore, gates: number, seconds: number): Promise<Gates> {
  using scratch = new Scratch();
  const home = { folder: scratch.folder, database: await store.newDatabase() };
  const parking = await reprise.start();
  await parking.ask("open", home);
  const parked = await parking.ask<number>("park", {
    name: "gate",
    count: gates,
    concurrency: 200,
  });
  await parking.ask("close");
  await parking.end();

  const began = performance.now();
  const server = await reprise.start();
  const opened = await timed(() => server.ask("open", home));
  const recovered = await timed(() => server.ask("recover"));
  const started = performance.now() - began;
  const idle = (follows: boolean) => server.ask<Idle>("idle", { seconds, follows });
  const { share, residentBytes } = await idle(false);
  const following = await idle(true);
  const answered = summarize(await server.ask<number[]>("answer", answers));
  await server.ask("close");
  await server.end();
  return {
    ...{ share, residentBytes, started, opened, recovered, answered },
    followingShare: following.share,
    parkedPerSecond: (gates * 1000) / parked,
  };
}

function figuresOf(of: Gates, many: string): Figure[] {
  return [
    {
      what: `${many}: processor, of one core`,
      measured: percent(of.share),
      goal: `< ${percent(goals.share)}`,
      met: of.share < goals.share,
    },
    {
      what: `${many}: resident memory`,
      measured: megabytes(of),
      goal: `< ${goals.megabytes} MB`,
      met: of.residentBytes < goals.megabytes * 1e6,
    },
    {
      what: `${many}: from the start of the process until the home is open and nothing is left to recover`,
      measured: milliseconds(of.started),
      goal: `< ${thousands(goals.start)} ms`,
      met: of.started < goals.start,
    },
  ];
}

function megabytes({ residentBytes }: Gates): string {
  return `${thousands(residentBytes / 1e6)} MB`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
