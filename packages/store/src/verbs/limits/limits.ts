/** The limits of accounts: an attempt finds one used up, and a later success of the account ends it. */

import type { AccountLimit } from "@reprise/core/session/quota";
import type { FinishedAttempt } from "../../contract/turns.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/events.ts";
import type { ClaimedTurnRow } from "../turns/record-turn.ts";
import type { Verb } from "../verb.ts";

const columns = "provider, account, until, turn, agent, at";

export const listLimits: Verb<"listLimits"> = function* (db, { at }) {
  return yield* db.all<AccountLimit>(
    `SELECT ${columns} FROM account_limit WHERE until > :at ORDER BY until, provider, account`,
    { at },
  );
};

/** Those of the provider of an agent; whether one has been reset is for the caller to judge. */
export function selectLimits(db: Db, agent: string): Query<AccountLimit[]> {
  return db.all<AccountLimit>(
    `SELECT ${columns} FROM account_limit
     WHERE provider = (SELECT provider FROM agent WHERE name = :agent)`,
    { agent },
  );
}

/** The account that an attempt used, as its launch recorded it. */
const used = `(SELECT launch ->> 'account' FROM attempt WHERE turn = :turn AND number = :number)`;

/** What the end of an attempt says about the limit of its account; without a known account nothing is remembered. */
export function* writeLimit(
  db: Db,
  { id: turn, agent, provider, stream }: ClaimedTurnRow,
  { number, ending, limitedUntil }: FinishedAttempt,
  at: number,
): Query<void> {
  if (limitedUntil !== undefined) {
    yield* db.run(
      `INSERT INTO account_limit (${columns})
       SELECT :provider, account, :until, :turn, :agent, :at FROM (SELECT ${used} AS account) AS used
       WHERE account IS NOT NULL
       ON CONFLICT (provider, account) DO UPDATE SET until = excluded.until, turn = excluded.turn,
         agent = excluded.agent, at = excluded.at`,
      { provider, until: limitedUntil, turn, agent, at, number },
    );
    const data = { turn, agent, provider, until: limitedUntil };
    yield* appendEvent(db, stream, { type: "account.limited", data }, at);
  } else if (succeeded.includes(ending))
    // An attempt that was started before the limit was found says nothing about it.
    yield* db.run(
      `DELETE FROM account_limit WHERE provider = :provider AND account = ${used}
         AND at <= (SELECT started_at FROM attempt WHERE turn = :turn AND number = :number)`,
      { provider, turn, number },
    );
}

const succeeded: readonly FinishedAttempt["ending"][] = [
  "confirmed",
  "compacted",
  "asked",
  "ghost",
];
