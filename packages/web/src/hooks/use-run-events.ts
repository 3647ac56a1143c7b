/** The events of a run, past and new, each once, in order. */

import { addressOf } from "@reprise/client/address";
import type { EventView } from "@reprise/core/api/reprise";
import { useEffect, useRef, useState } from "react";
import { followEvents } from "../live/event-stream.ts";

/** The stream ends with the run, and is opened again when the run is run again. */
export function useRunEvents(run: string, ended: boolean): readonly EventView[] {
  const [events, setEvents] = useState<readonly EventView[]>([]);
  const seen = useRef<EventView[]>([]);
  useEffect(() => {
    let frame = 0;
    const close = followEvents({
      path: addressOf({ method: "GET", path: "/v1/runs/{run}/events" }, { run }).path,
      query: { follow: String(!ended) },
      after: seen.current.at(-1)?.seq ?? 0,
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
