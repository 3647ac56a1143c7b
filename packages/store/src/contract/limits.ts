/** The limits of accounts that turns found used up. `endAttempt` and `finishTurn` write them, `load` reads them too. */

import type { AccountLimit } from "@reprise/core/session/quota";

export interface LimitStore {
  /** Those that are not reset by then, the first reset first. */
  listLimits(query: { at: number }): Promise<AccountLimit[]>;
}
