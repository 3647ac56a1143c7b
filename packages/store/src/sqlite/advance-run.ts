/** Writes one step of a run: what happened, and all that follows from it. */

import { FencedError, StoreError } from "@reprise/core/errors/errors";
import { insertDue } from "./due.ts";
import { openItem } from "./open-item.ts";
import { closeItems } from "./resolve-item.ts";
import { hasEnded, selectHead, writeRun } from "./run-row.ts";
import type { Verb } from "./verb.ts";

export const advanceRun: Verb<"advanceRun"> = (db, advance) => {
  const { run, token, expectedSeq, status, opens, due, at } = advance;
  const head = selectHead(db, run);
  // An ended run is nobody's.
  if (head === null || head.token !== token || head.ended) throw new FencedError(run, "Run");
  if (head.seq !== expectedSeq)
    throw new StoreError(
      "conflict",
      `Run ${run} is at ${head.seq}, not at ${expectedSeq}.`,
      "Read what was appended meanwhile, and decide again.",
    );
  const seq = writeRun(db, head, advance);
  for (const item of opens) openItem(db, run, item, at);
  for (const row of due) insertDue(db, row);
  if (hasEnded(status)) closeItems(db, run, at);
  return seq;
};
