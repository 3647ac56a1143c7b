/** Advances a webhook in the event log and queues its deliveries. */

import { insertDue } from "../due/due.ts";
import type { Verb } from "../verb.ts";

export const queueDeliveries: Verb<"queueDeliveries"> = function* (
  db,
  { webhook, after, upTo, deliveries, forgetBefore, at },
) {
  const moved = yield* db.change(
    "UPDATE webhook SET cursor = :upTo WHERE id = :webhook AND cursor = :after",
    { webhook, after, upTo },
  );
  if (moved === 0) return false;
  for (const { id, seq, type } of deliveries) {
    yield* db.run(
      `INSERT INTO delivery (id, webhook, seq, type, state, tries, created_at)
       VALUES (:id, :webhook, :seq, :type, 'due', 0, :at)`,
      { id, webhook, seq, type, at },
    );
    const due = `webhook:${id}`;
    yield* insertDue(db, { id: due, key: due, at, payload: { delivery: id } });
  }
  yield* db.run(
    "DELETE FROM delivery WHERE webhook = :webhook AND state <> 'due' AND created_at < :forgetBefore",
    { webhook, forgetBefore },
  );
  return true;
};
