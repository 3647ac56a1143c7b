/** Which answers of the server an event makes out of date. */

import type { EventView, InboxItemDetail } from "@reprise/core/api/reprise";

export type QueryKey = readonly [string, ...unknown[]];

type PageEvent = Pick<EventView, "stream" | "type" | "data">;

/** Events of runs that open or settle inbox items; `run.ended` does so unless the run is done. */
const itemEvents = new Set([
  "gate.opened",
  "gate.answered",
  "gate.expired",
  "node.waiting",
  "node.answered",
  "run.stuck",
  "run.retried",
  "run.rerun",
  "run.cancelling",
]);

export function staleAfter(event: PageEvent): QueryKey[] {
  const { kind, name } = streamOf(event);
  const inbox: QueryKey[] = changesInbox(event) ? [["inbox"]] : [];
  switch (kind) {
    case "run":
      return [
        ["runs"],
        ["run", name],
        ...inbox,
        ...(event.type === "run.started" ? [["new-home"] as const] : []),
      ];
    case "session":
      return [
        ["sessions"],
        ["session", name],
        ...turnOf(event).map((turn) => ["turn", turn] as const),
        ...inbox,
        ...(event.type === "session.created" ? [["new-home"] as const] : []),
      ];
    default:
      return [["doctor"]];
  }
}

/** True when the event is about the item: its run, its turn, or a session that is held for it. */
export function concerns(
  event: PageEvent,
  item: Pick<InboxItemDetail, "id" | "run" | "sessions">,
): boolean {
  const { kind, name } = streamOf(event);
  if (kind === "run") return item.run === name;
  return kind === "session" && (item.sessions.includes(name) || turnOf(event).includes(item.id));
}

function changesInbox({ type, data }: PageEvent): boolean {
  const { status } = (data ?? {}) as { status?: unknown };
  if (type === "run.ended" || type === "turn.finished") return status !== "done";
  return (
    itemEvents.has(type) || ["turn.answered", "turn.reopened", "session.purged"].includes(type)
  );
}

function streamOf({ stream }: PageEvent): { kind: string; name: string } {
  const colon = stream.indexOf(":");
  return { kind: stream.slice(0, colon), name: stream.slice(colon + 1) };
}

function turnOf({ data }: PageEvent): string[] {
  const { turn } = (data ?? {}) as { turn?: unknown };
  return typeof turn === "string" ? [turn] : [];
}
