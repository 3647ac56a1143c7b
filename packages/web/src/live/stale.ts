/** Which answers of the server an event makes out of date. */

import type { EventView } from "@reprise/core/api/reprise";

export type QueryKey = readonly [string, ...unknown[]];

export function staleAfter({ stream, data }: Pick<EventView, "stream" | "data">): QueryKey[] {
  const colon = stream.indexOf(":");
  const name = stream.slice(colon + 1);
  switch (stream.slice(0, colon)) {
    case "run":
      return [["runs"], ["run", name], ["inbox"], ["item"]];
    case "session":
      return [["sessions"], ["session", name], ...turnOf(data), ["inbox"], ["item"]];
    default:
      return [["doctor"]];
  }
}

function turnOf(data: unknown): QueryKey[] {
  const { turn } = (data ?? {}) as { turn?: unknown };
  return typeof turn === "string" ? [["turn", turn]] : [];
}
