/** Whether the reset policy makes the next turn of a session blank, by this machine's clock. */

import { resetDue, resetPolicy } from "@reprise/core/session/reset";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { Settings } from "@reprise/core/settings/settings";
import type { SessionFacts } from "@reprise/store/contract/sessions";

/** The reason for a reset, or null. A failed turn does not count as use: until one is confirmed, the reset stays due. */
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
