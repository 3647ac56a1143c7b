/** Writes one step of a run: its events and everything that follows from them. */

import { FencedError, StoreError } from "@reprise/core/errors/errors";
import type { Db, Query } from "../db.ts";
import { insertDue } from "../due/due.ts";
import { openItem } from "../inbox/open-item.ts";
import { closeItems } from "../inbox/resolve-item.ts";
import { lockRun } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { hasEnded, type RunHead, selectHead, writeRun } from "./run-row.ts";

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
