/** How the verbs of sessions run: what they read or write, and how durable it is. */

import type { SessionStore } from "../../contract/sessions.ts";
import { withPacked } from "../checkpoints/checkpoint.ts";
import type { Transactions } from "../transactions.ts";
import { archiveSession } from "./archive-session.ts";
import { compactSession } from "./compact-session.ts";
import { createSession } from "./create-session.ts";
import { holdSession } from "./hold-session.ts";
import { listPins } from "./list-pins.ts";
import { listRetention } from "./list-retention.ts";
import { load } from "./load.ts";
import { movePin } from "./move-pin.ts";
import { purgeSession } from "./purge-session.ts";
import { countSessions, listSessions, readSession } from "./read-sessions.ts";
import { rebasePins } from "./rebase-pins.ts";
import { releaseSession } from "./release-session.ts";
import { reviveSession } from "./revive-session.ts";
import { setSession } from "./set-session.ts";
import { readTranscript } from "./transcript.ts";

export const sessionStore = ({ read, write }: Transactions): SessionStore => ({
  createSession: async (creation) => write(createSession)(await withPacked(creation)),
  readSession: read(readSession),
  listSessions: read(listSessions),
  countSessions: read(countSessions),
  load: read(load),
  setSession: write(setSession),
  compactSession: write(compactSession),
  holdSession: write(holdSession),
  releaseSession: write(releaseSession),
  archiveSession: write(archiveSession),
  reviveSession: write(reviveSession),
  purgeSession: write(purgeSession),
  listRetention: read(listRetention),
  listPins: read(listPins),
  movePin: write(movePin),
  rebasePins: write(rebasePins),
  readTranscript: read(readTranscript),
});
