/** Reprise, through its library: a function node in the sandbox is a step, its event is what is kept of it. */

import { once } from "node:events";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import type { Store } from "@reprise/store/store";
import {
  type Chains,
  type Counted,
  chainLength,
  type Opening,
  serve,
  timeAll,
  timeChains,
} from "./contender.ts";
import { HomeDatabase } from "./home-database.ts";
import { chainOf, growingChainOf, parked } from "./workflows.ts";

export interface Growth {
  readonly steps: number;
  readonly bytes: number;
}

export interface Begin {
  readonly count: number;
  readonly length: number;
}

export interface Idling {
  readonly seconds: number;
  readonly follows: boolean;
}

export interface Idle {
  /** As a part of one core, from 0 to 1. */
  readonly share: number;
  readonly residentBytes: number;
}

const inputs = { value: 0 };
const chain = chainOf(chainLength);
let home: string;
let store: string | undefined;
let reprise: Reprise;

serve({
  async open({ folder, database, synchronisation }: Opening) {
    home = join(folder, "home");
    store = database;
    const wrap = synchronisation === "full" ? { store: promising } : {};
    reprise = await openReprise({ home, store, cwd: folder, wrap });
  },

  chains: (chains: Chains) =>
    timeChains(chains, async (id) => {
      const { outputs } = await reprise.runs.start({ source: chain, id, inputs });
      return outputs.value as number;
    }),

  async grow({ steps, bytes }: Growth) {
    const { status } = await reprise.runs.start({ source: growingChainOf(steps, bytes), inputs });
    requireStatus(status, "done");
  },

  /** Begins runs and leaves them running. */
  async begin({ count, length }: Begin) {
    const source = chainOf(length);
    const begun = Array.from({ length: count }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      reprise.runs.start({ source, inputs }, { onStarted: resolve }).catch(reject);
      return promise;
    });
    await Promise.all(begun);
  },

  recover: async () => (await reprise.runs.recover()).length,

  park: (runs: Chains) =>
    timeAll(runs, async (id) => {
      const { status } = await reprise.runs.start({ source: parked, id });
      requireStatus(status, "waiting");
    }),

  /** The home is open and nothing happens; `follows`: a client waits for the next event all the time. */
  async idle({ seconds, follows }: Idling): Promise<Idle> {
    const signal = AbortSignal.timeout(seconds * 1000);
    const { after } = await read<{ after: number }>("SELECT max(seq) AS after FROM event");
    const [cpu, began] = [process.cpuUsage(), performance.now()];
    if (follows) await noEvent(after, signal);
    else await once(signal, "abort");
    const { user, system } = process.cpuUsage(cpu);
    const microseconds = (performance.now() - began) * 1000;
    return { share: (user + system) / microseconds, residentBytes: process.memoryUsage.rss() };
  },

  /** Milliseconds that each of `count` answers took, the rest of its run included. */
  async answer(count: number): Promise<number[]> {
    const times: number[] = [];
    for (const { id } of await reprise.inbox.list({ limit: count })) {
      const began = performance.now();
      const { run } = await reprise.inbox.answer({ item: id, choice: "approve", by: "bench" });
      requireStatus(run?.status, "done");
      times.push(performance.now() - began);
    }
    return times;
  },

  count: async () =>
    read<Counted>(
      `SELECT count(DISTINCT stream) AS chains, count(*) AS rows,
         count(DISTINCT stream || ' ' || (data ->> 'execution')) AS steps
       FROM event WHERE type = 'node.done' AND data ->> 'execution' LIKE 'step%'`,
    ),

  close: () => reprise.close(),
});

/** A store that has the result of every step on the disk before anything follows from it. */
function promising(store: Store): Store {
  return {
    ...store,
    advanceRunBuffered: (advance) => {
      const hasResult = advance.events.some(({ type }) => type === "node.done");
      return store[hasResult ? "advanceRun" : "advanceRunBuffered"](advance);
    },
  };
}

async function noEvent(after: number, signal: AbortSignal): Promise<void> {
  for await (const { type } of reprise.events({ after, signal }))
    throw new Error(`${type} happened while nothing was asked for.`);
}

/** One row of the database, past the library. */
async function read<Row>(sql: string): Promise<Row> {
  await using database = await HomeDatabase.open(home, store);
  const [row] = await database.all<Row>(sql);
  return row!;
}

function requireStatus(status: string | undefined, wanted: string): void {
  if (status !== wanted) throw new Error(`A run is ${status}, not ${wanted}.`);
}
