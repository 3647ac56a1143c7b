/** The event log. */

import type { NewDue } from "./due.ts";

export interface StoredEvent {
  readonly seq: number;
  readonly stream: string;
  readonly streamSeq: number;
  readonly type: string;
  readonly data: unknown;
  readonly at: number;
}

export interface NewEvent {
  readonly type: string;
  readonly data: unknown;
}

/** Recorded with the event, and left out of it if unknown. */
export interface DoneBy {
  readonly by?: string | null | undefined;
}

export interface EventStore {
  /**
   * Returns the stream's new seq. An existing due row with the same id stays as it is.
   * @throws StoreError `conflict` if the stream is not at `expectedSeq`.
   */
  appendEvents(append: {
    stream: string;
    expectedSeq: number;
    events: readonly NewEvent[];
    due: readonly NewDue[];
    at: number;
  }): Promise<number>;
  /** Appends one event to the end of a stream, for what happened outside the store. A repeated call changes nothing. */
  recordEvent(record: { stream: string; event: NewEvent; at: number }): Promise<void>;
  /** Once an event was returned, no event with a lower seq appears later. */
  readEvents(query: { after: number; limit: number; stream?: string }): Promise<StoredEvent[]>;
  /** The highest seq; 0 if there are no events. */
  lastEvent(): Promise<number>;
}
