/** Lists the holders of a session. */

import type { SessionView } from "@reprise/core/api/reprise";

export function holders({ held }: Pick<SessionView, "held">): string {
  return held.map(({ by, reason }) => (reason === null ? by : `${by} (${reason})`)).join(", ");
}
