/** Load, lease and decide, in a database with many sessions. */

import { DatabaseSync } from "node:sqlite";
import { measureSlice } from "@reprise/core/conversation/slice";
import { decide } from "@reprise/core/session/decide";
import type { Decision, Observed, Wanted } from "@reprise/core/session/decision";
import type { SessionKey } from "@reprise/core/session/key";
import { resolvePolicy } from "@reprise/core/session/policy";
import { resolveSettings, toRules } from "@reprise/core/settings/settings";
import { newId, sha256 } from "@reprise/engine/engine";
import { self } from "@reprise/providers/launch/process";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import { openSqliteStore } from "@reprise/store/sqlite/open";
import type { Store } from "@reprise/store/store";
import { randomFrom } from "@reprise/store/suite/random";
import { type Bench, milliseconds, thousands } from "./bench.ts";
import { fill, keyOf, pin } from "./fill.ts";
import { type Summary, summarize, timed } from "./measure.ts";
import { Scratch } from "./scratch.ts";

const goal = 1;
const warmUp = 200;
const parts = ["lease", "load", "decide", "all three", "one durable row"] as const;
type Samples = Record<(typeof parts)[number], number[]>;

export const decideBench: Bench = {
  name: "decide",
  about: "Load, lease and decide, in a database with many sessions.",

  async run({ quick, progress }) {
    const sizes = quick ? [1_000, 10_000] : [1_000, 100_000, 1_000_000];
    const samples = quick ? 300 : 3_000;
    const measured = new Map<number, Record<(typeof parts)[number], Summary>>();
    for (const size of sizes) {
      progress(`${thousands(size)} sessions`);
      measured.set(size, await measureAt(size, Math.min(samples, size - warmUp)));
    }
    const [size, largest] = [...measured].at(-1)!;
    const { p99 } = largest["all three"];
    return {
      figures: [
        {
          what: `load, lease and decide at ${thousands(size)} sessions, p99`,
          measured: milliseconds(p99),
          goal: `< ${goal} ms`,
          met: p99 < goal,
        },
      ],
      columns: ["sessions", "", "median", "p90", "p99", "samples"],
      rows: [...measured].flatMap(([size, summaries]) =>
        parts.map((part) => {
          const { median, p90, p99, count } = summaries[part];
          return [thousands(size), part, ...[median, p90, p99].map(milliseconds), thousands(count)];
        }),
      ),
      method:
        "Keys drawn at random, each used once. Every session has two turns, four messages, a pin and a checkpoint. In the order of a turn: claimTurn, load, then decide on what was loaded. In between, one row is committed with synchronous = FULL in an empty database: what this disk takes for anything that must survive a loss of power.",
    };
  },
};

async function measureAt(size: number, count: number) {
  using scratch = new Scratch();
  const path = scratch.path("reprise.db");
  await fill(path, size);
  const store = await openSqliteStore(path);
  const writeRow = durableRow(scratch.path("empty.db"));
  const keys = draw(size, warmUp + count);
  for (const key of keys.slice(0, warmUp)) await measureOne(store, key, writeRow, emptySamples());
  const samples = emptySamples();
  for (const key of keys.slice(warmUp)) await measureOne(store, key, writeRow, samples);
  await store.close();
  return Object.fromEntries(parts.map((part) => [part, summarize(samples[part])])) as Record<
    (typeof parts)[number],
    Summary
  >;
}

async function measureOne(
  store: Store,
  key: SessionKey,
  writeRow: () => void,
  samples: Samples,
): Promise<void> {
  const turn = await openTurn(store, key);
  let subject!: SessionFacts;
  let decision!: Decision;
  const lease = await timed(() => store.claimTurn({ turn, owner: self(), at: Date.now() }));
  const load = await timed(async () => {
    subject = await store.load({ key, agent: pin.agent });
  });
  const decided = await timed(async () => {
    decision = decide(wantedFor(key), subject.pin, observedFrom(subject));
  });
  if (decision.outcome !== "resume") throw new Error(`not resumed: ${JSON.stringify(decision)}`);
  samples.lease.push(lease);
  samples.load.push(load);
  samples.decide.push(decided);
  samples["all three"].push(lease + load + decided);
  samples["one durable row"].push(await timed(async () => writeRow()));
}

async function openTurn(store: Store, key: SessionKey): Promise<string> {
  const turn = await store.openTurn({
    id: newId(),
    request: {
      key,
      agent: pin.agent,
      prompt: "Continue.",
      surface: "direct",
      mode: null,
      continuity: null,
      folder: pin.folder,
      model: null,
      instructions: null,
      channel: null,
      timeout: null,
      outputSchema: null,
      cwd: null,
      finishes: false,
      origin: null,
    },
    provider: pin.provider,
    busy: "wait",
    owner: self(),
    at: Date.now(),
  });
  return turn.id;
}

const rules = toRules(resolveSettings([]).values);

function wantedFor(key: SessionKey): Wanted {
  return {
    key,
    agent: pin.agent,
    provider: pin.provider,
    policy: resolvePolicy({
      surface: "direct",
      turn: null,
      mode: null,
      kind: "interactive",
      agentSessions: "default",
      regularAgentSessions: "resume",
    }),
    folder: pin.folder,
    model: pin.model,
    instructions: pin.instructions,
    rules,
  };
}

/** What the engine observes of a session whose program, account and files are as they were. */
function observedFrom({ session, pin, outline, purgedAt, retired }: SessionFacts): Observed {
  const lastAnswer = outline.findLast((message) => message.role === "assistant");
  return {
    now: Date.now(),
    archived: session?.archivedAt != null,
    purgedAt,
    lastAgent: lastAnswer?.agent ?? null,
    lastProvider: lastAnswer?.provider ?? null,
    slice: measureSlice(outline, pin!.agent, pin!.given, sha256),
    runtime: pin!.runtime,
    account: pin!.account,
    history: { state: "same" },
    retired,
  };
}

function durableRow(path: string): () => void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE row (at)");
  const insert = database.prepare("INSERT INTO row VALUES (?)");
  return () => insert.run(Date.now());
}

/** Different keys, the same ones in every run. */
function draw(size: number, count: number): SessionKey[] {
  const random = randomFrom(1);
  const numbers = new Set<number>();
  while (numbers.size < count) numbers.add(Math.floor(random() * size));
  return [...numbers].map(keyOf);
}

function emptySamples(): Samples {
  return Object.fromEntries(parts.map((part) => [part, [] as number[]])) as Samples;
}
