/** Appends an event of a process that does not own the run. */

import { NotFoundError, StoreError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import { closeItems } from "../inbox/resolve-item.ts";
import { lockRun } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { hasEnded, selectHead, writeRun } from "./run-row.ts";

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
