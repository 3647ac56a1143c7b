/** Whether the reset policy wants the next turn of a session to be blank, by the clock of this machine. */

import { resetDue, resetPolicy } from "@reprise/core/session/reset";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { Settings } from "@reprise/core/settings/settings";
import type { SessionFacts } from "@reprise/store/store";

/** Why, or null. A turn that failed is no use of the session: until one is confirmed, a reset stays due. */
export function resetReason(
  settings: Settings,
  { session, pin, outline }: SessionFacts,
  { surface }: Pick<TurnRequest, "surface">,
  now: number,
): string | null {
  const channel = session?.channel ?? null;
  return resetDue(resetPolicy(settings, { surface, channel }), {
    now,
    usedAt: outline.at(-1)?.at ?? pin?.confirmedAt ?? null,
    held: session !== null && session.held.length > 0,
    offsetAt: (at) => -new Date(at).getTimezoneOffset(),
  });
}
