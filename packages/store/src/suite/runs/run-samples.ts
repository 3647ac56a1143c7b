/** Small, complete runs and inbox items for the suite; every test names only what it is about. */

import type { NewDue } from "../../contract/due.ts";
import type { NewEvent, StoredEvent } from "../../contract/events.ts";
import type { NewItem } from "../../contract/inbox.ts";
import type { Run } from "../../contract/runs.ts";
import type { Store } from "../../store.ts";
import { clock } from "../fixture.ts";
import { someone } from "../samples.ts";

type Creation = Parameters<Store["createRun"]>[0];
type Advance = Parameters<Store["advanceRun"]>[0];
type Answer = Parameters<Store["answerItem"]>[0];

export function creation(id: string, overrides: Partial<Creation> = {}): Creation {
  return {
    id,
    workflow: "review",
    path: "/flows/review.yaml",
    event: { type: "run.started", data: { workflow: "review", inputs: {} } },
    owner: someone,
    at: 1000,
    ...overrides,
  };
}

/** One step of a run that keeps running. */
export function step(
  { id, token, seq }: Pick<Run, "id" | "token" | "seq">,
  overrides: Partial<Advance> = {},
): Advance {
  return {
    run: id,
    token,
    expectedSeq: seq,
    events: [],
    status: "running",
    error: null,
    opens: [],
    due: [],
    at: 2000,
    ...overrides,
  };
}

export function done(execution: string): NewEvent {
  return { type: "node.done", data: { execution, attempt: 1, outputs: {} } };
}

export function item(id: string, overrides: Partial<NewItem> = {}): NewItem {
  return {
    id,
    kind: "approval",
    execution: "gate",
    title: "Ship it?",
    message: null,
    choices: ["approve", "reject"],
    fields: [],
    answerers: [],
    passphrase: null,
    sessions: [],
    deadline: null,
    ...overrides,
  };
}

/** The due row of an item's deadline. */
export function deadline({ id, deadline: at }: NewItem): NewDue {
  return { id: `deadline:${id}`, key: `gate:${id}`, at: at!, payload: { item: id } };
}

export function approval(of: string, overrides: Partial<Answer> = {}): Answer {
  return {
    item: of,
    choice: "approve",
    by: "ann",
    comment: null,
    values: {},
    at: 3000,
    ...overrides,
  };
}

/** A run that waits for these items, released by its owner. */
export async function waiting(store: Store, id: string, ...opens: NewItem[]): Promise<Run> {
  const run = await store.createRun(creation(id));
  await store.advanceRun(
    step(run, {
      events: opens.map(({ id: of, execution }) => ({
        type: "gate.opened",
        data: { execution, item: of },
      })),
      status: "waiting",
      opens,
      due: opens.filter((each) => each.deadline !== null).map(deadline),
    }),
  );
  await store.takeRun({ run: id, token: run.token, owner: null });
  return current(store, id);
}

export async function current(store: Store, id: string): Promise<Run> {
  const run = await store.readRun(id);
  if (run === null) throw new Error(`There is no run ${id}.`);
  return run;
}

export function stream(store: Store, run: string): Promise<StoredEvent[]> {
  return store.readEvents({ after: 0, limit: 10_000, stream: `run:${run}` });
}

/** Ids of all due rows that are not claimed yet. */
export async function allDue(store: Store): Promise<string[]> {
  const before = clock.now;
  clock.now = 1e12;
  const rows = await store.claimDue({ owner: "o", limit: 1000 });
  clock.now = before;
  return rows.map(({ id }) => id);
}
