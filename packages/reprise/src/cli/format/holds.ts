/** Who holds a session, as a person reads it. */

import type { SessionView } from "@reprise/core/api/reprise";

export function holders({ held }: Pick<SessionView, "held">): string {
  return held.map(({ by, reason }) => (reason === null ? by : `${by} (${reason})`)).join(", ");
}
