/** Converts the events of a run between the store (type and data) and the state machine. */

import { redact } from "@reprise/core/session/redact";
import type { NewEvent, StoredEvent } from "@reprise/store/contract/events";
import type { Store } from "@reprise/store/store";
import type { RunEvent } from "@reprise/workflow/run/event";
import type { Engine } from "../engine.ts";

const page = 1000;

export function streamOf(run: string): string {
  return `run:${run}`;
}

export function toStored({ type, ...data }: RunEvent): NewEvent {
  return { type, data };
}

export function fromStored({ type, data }: StoredEvent): RunEvent {
  return { type, ...(data as object) } as RunEvent;
}

export async function* readStream(store: Store, run: string): AsyncGenerator<StoredEvent> {
  for (let after = 0; ; ) {
    const events = await store.readEvents({ stream: streamOf(run), after, limit: page });
    yield* events;
    if (events.length < page) return;
    after = events.at(-1)?.seq ?? after;
  }
}

/** The event as it will be stored, secrets redacted: this process must not know more than the next owner. */
export function asStored<Event extends RunEvent>({ secrets }: Engine, event: Event): Event {
  if (secrets.length === 0) return event;
  const text = JSON.stringify(event);
  const redacted = redact(text, secrets);
  return redacted === text ? event : JSON.parse(redacted);
}
