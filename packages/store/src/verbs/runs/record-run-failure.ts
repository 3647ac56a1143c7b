/** Records that a run could not be advanced; at the limit the run is stuck, and an item asks a person. */

import { FencedError } from "@reprise/core/errors/errors";
import { selectItems } from "../inbox/inbox-row.ts";
import { openItem } from "../inbox/open-item.ts";
import { lockRun } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { selectHead, selectRuns, writeRun } from "./run-row.ts";

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
