/** How the verbs of events run: what they read or write, and how durable it is. */

import type { EventStore } from "../../contract/events.ts";
import type { Transactions } from "../transactions.ts";
import { appendEvents } from "./append-events.ts";
import { lastEvent, readEvents } from "./read-events.ts";
import { recordEvent } from "./record-event.ts";

export const eventStore = ({ readEvents: reading, write }: Transactions): EventStore => ({
  appendEvents: write(appendEvents),
  recordEvent: write(recordEvent),
  readEvents: reading(readEvents),
  lastEvent: reading(lastEvent),
});
