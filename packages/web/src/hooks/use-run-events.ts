/** What happened in a run and what happens, each event once, in order. */

import type { EventView } from "@reprise/core/api/reprise";
import { useEffect, useRef, useState } from "react";
import { followEvents } from "../live/event-stream.ts";

/** A run that has ended has no more events until it is run again. */
export function useRunEvents(run: string, ended: boolean): readonly EventView[] {
  const [events, setEvents] = useState<readonly EventView[]>([]);
  const seen = useRef<EventView[]>([]);
  useEffect(() => {
    let frame = 0;
    const close = followEvents({
      path: `/v1/runs/${encodeURIComponent(run)}/events`,
      after: seen.current.at(-1)?.seq ?? 0,
      ends: ended,
      onEvent(event) {
        seen.current.push(event);
        frame ||= requestAnimationFrame(() => {
          frame = 0;
          setEvents([...seen.current]);
        });
      },
    });
    return () => {
      close();
      cancelAnimationFrame(frame);
      setEvents([...seen.current]);
    };
  }, [run, ended]);
  return events;
}
