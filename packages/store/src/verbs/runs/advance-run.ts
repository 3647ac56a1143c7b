/** The verbs that write runs: create, one step, a signal, another owner, a failed step. */

import { FencedError, NotFoundError, StoreError, TerminalError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import type { Run } from "../../contract/runs.ts";
import type { Db, Query } from "../db.ts";
import { insertDue } from "../due/due.ts";
import { insertEvent } from "../events/events.ts";
import { selectItems } from "../inbox/items.ts";
import { closeItems, openItem } from "../inbox/resolve-item.ts";
import { lockRun, toJson } from "../row.ts";
import type { Verb } from "../verb.ts";
import { hasEnded, type RunHead, selectHead, selectRuns, writeRun } from "./run-row.ts";

type Advance = Parameters<typeof advanceRun>[1];

export const advanceRun: Verb<"advanceRun"> = function* (db, advance) {
  yield* lockRun(db, advance.run);
  const { run, status, events, opens, due, at } = advance;
  const moved = events.length > 0 ? { failures: 0 } : {};
  yield* writeRun(db, yield* requireHead(db, advance), { ...advance, ...moved });
  for (const item of opens) yield* openItem(db, run, item, at);
  for (const row of due) yield* insertDue(db, row);
  if (hasEnded(status)) yield* closeItems(db, run, at);
  return advance.expectedSeq + events.length;
};

function* requireHead(db: Db, { run, token, expectedSeq }: Advance): Query<RunHead> {
  const head = yield* selectHead(db, run);
  // An ended run has no owner.
  if (head === null || head.token !== token || head.ended) throw new FencedError(run, "Run");
  if (head.seq === expectedSeq) return head;
  throw new StoreError(
    "conflict",
    `Run ${run} is at ${head.seq}, not at ${expectedSeq}.`,
    "Read the events that were appended meanwhile, then decide again.",
  );
}

/** Writes a run with its first event, owned by the process that starts it. */
export const createRun: Verb<"createRun"> = function* (
  db,
  { id, workflow, path, event, owner, at },
) {
  yield* lockRun(db, id);
  const created = yield* db.change(
    `INSERT INTO run (id, workflow, path, status, owner, token, started_at)
     VALUES (:id, :workflow, :path, 'running', :owner, 1, :at)
     ON CONFLICT (id) DO NOTHING`,
    { id, workflow, path, owner: JSON.stringify(owner), at },
  );
  if (created === 0)
    throw new TerminalError(
      "run-exists",
      `Run ${id} already exists.`,
      "Choose another id, or let Reprise choose one.",
    );
  yield* insertEvent(db, { stream: `run:${id}`, streamSeq: 1, event, at });
  const run: Run = {
    id,
    workflow,
    path,
    status: "running",
    owner,
    token: 1,
    seq: 1,
    error: null,
    failures: 0,
    startedAt: at,
    updatedAt: at,
    endedAt: null,
  };
  return run;
};

/** Appends an event of a process that does not own the run. */
export const signalRun: Verb<"signalRun"> = function* (db, { run, event, status, ifStatus, at }) {
  yield* lockRun(db, run);
  const head = yield* selectHead(db, run);
  if (head === null)
    throw new NotFoundError(
      "no-run",
      `There is no run ${run}.`,
      `List them with ${verb("runs.list")}.`,
    );
  if (!ifStatus.includes(head.status))
    throw new StoreError(
      "conflict",
      `Run ${run} is ${head.status}, not ${ifStatus.join(" or ")}.`,
      `See ${verb("runs.show", run)}, then try again.`,
    );
  const seq = yield* writeRun(db, head, {
    events: [event],
    status: status ?? head.status,
    ...(status === null ? {} : { error: null }),
    at,
  });
  if (status !== null && hasEnded(status)) yield* closeItems(db, run, at);
  return seq;
};

/** Changes or removes the owner of a run, and fences the previous one. */
export const takeRun: Verb<"takeRun"> = function* (db, { run, token, owner }) {
  yield* lockRun(db, run);
  const taken = yield* db.get<{ token: number }>(
    `UPDATE run SET owner = :owner, token = token + 1
     WHERE id = :run AND token = :token AND ended_at IS NULL
     RETURNING token`,
    { run, token, owner: toJson(owner) },
  );
  return taken?.token ?? null;
};

/** Records that a run could not be advanced; at the limit the run is stuck, and an item asks a person. */
export const recordRunFailure: Verb<"recordRunFailure"> = function* (db, failure) {
  yield* lockRun(db, failure.run);
  const { run, token, failures, error, limit, item, at } = failure;
  const head = yield* selectHead(db, run);
  if (head === null || head.token !== token || head.ended) throw new FencedError(run, "Run");
  if (failures < limit)
    yield* writeRun(db, head, { events: [], status: head.status, error, failures, at });
  else {
    const [open] = yield* selectItems(
      db,
      "WHERE item.run = :run AND item.kind = 'stuck' AND item.resolved_at IS NULL",
      { run },
    );
    const data = { item: open?.id ?? item.id, failures, error };
    const events = [{ type: "run.stuck", data }];
    yield* writeRun(db, head, { events, status: "stuck", error, failures, at });
    if (!open) yield* openItem(db, run, item, at);
  }
  return (yield* selectRuns(db, "WHERE id = :run", { run }))[0]!;
};
