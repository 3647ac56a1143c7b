/** The limits of accounts, as they are listed. Ends of attempts write them, and `load` reads those of one provider. */

import type { AccountLimit } from "@reprise/core/session/quota";
import type { Verb } from "../verb.ts";

export const limitColumns = "provider, account, until, turn, agent, at";

export const listLimits: Verb<"listLimits"> = function* (db, { at }) {
  return yield* db.all<AccountLimit>(
    `SELECT ${limitColumns} FROM account_limit WHERE until > :at ORDER BY until, provider, account`,
    { at },
  );
};
