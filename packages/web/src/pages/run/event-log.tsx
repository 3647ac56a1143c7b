/** The events of a run, in order, as they happen. */

import type { EventView } from "@reprise/core/api/reprise";
import { useRunEvents } from "../../hooks/use-run-events.ts";
import { clock, dateTime } from "../../parts/time.ts";

interface EventLogProps {
  readonly run: string;
  readonly ended: boolean;
}

export function EventLog({ run, ended }: EventLogProps) {
  const events = useRunEvents(run, ended);
  if (events.length === 0) return <p className="text-sm text-muted">No events yet.</p>;
  return (
    <ol aria-label="Events" className="font-mono text-[0.8rem] leading-6">
      {events.map((event) => (
        <li
          key={event.seq}
          data-seq={event.seq}
          className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 border-t border-line py-0.5 first:border-0 sm:grid-cols-[auto_10rem_minmax(0,1fr)]"
        >
          <time
            dateTime={new Date(event.at).toISOString()}
            title={dateTime(event.at)}
            className="text-muted"
          >
            {clock(event.at)}
          </time>
          <span>{event.type}</span>
          <span className="col-start-2 text-muted sm:col-start-3">{about(event)}</span>
        </li>
      ))}
    </ol>
  );
}

/** The few values that tell the event apart. */
function about({ data }: EventView): string {
  const { execution, loop, iteration, outcome, choice, by, status, error } = (data ??
    {}) as Readonly<Record<string, unknown>>;
  const message = (error as { message?: string } | null | undefined)?.message;
  return [
    execution ?? loop,
    iteration !== undefined && `iteration ${iteration}`,
    outcome,
    choice,
    by !== undefined && by !== null && `by ${by}`,
    status,
    message,
  ]
    .filter(Boolean)
    .join(" · ");
}
