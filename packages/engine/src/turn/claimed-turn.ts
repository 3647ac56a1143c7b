/** A turn that owns its session: the record as claimed, and the token that proves the claim. */

import type { Turn } from "@reprise/core/session/turn";
import type { TurnClaim } from "@reprise/store/contract/turns";

export interface ClaimedTurn extends TurnClaim {
  readonly record: Turn;
}
