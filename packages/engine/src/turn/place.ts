/** A turn that has its session: the record as it was claimed, and the token that proves the claim. */

import type { Turn } from "@reprise/core/session/turn";
import type { Held } from "@reprise/store/store";

export interface Place extends Held {
  readonly record: Turn;
}
