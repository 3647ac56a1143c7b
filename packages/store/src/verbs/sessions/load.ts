/** Reads everything that a decision about (key, agent) needs. */

import type { SessionFacts } from "../../contract/sessions.ts";
import { selectCheckpointHead } from "../checkpoints/checkpoint.ts";
import type { Db, Query } from "../db.ts";
import type { Verb } from "../verb.ts";
import { pinFrom } from "./pin.ts";
import { readSession } from "./read-sessions.ts";
import { readOutline } from "./transcript.ts";

interface StoredPin {
  readonly handle: string;
  readonly version: number;
  readonly data: string;
  readonly retired: string | null;
}

export const load: Verb<"load"> = function* (db, { key, agent, turn = "" }) {
  const session = yield* readSession(db, key);
  const stored = yield* db.get<StoredPin>(
    `SELECT pin.handle, pin.version, pin.data, retired_handle.reason AS retired
     FROM pin LEFT JOIN retired_handle
       ON retired_handle.provider = pin.provider AND retired_handle.handle = pin.handle
     WHERE pin.key = :key AND pin.agent = :agent`,
    { key, agent },
  );
  const tombstone = yield* db.get<{ at: number }>("SELECT at FROM tombstone WHERE key = :key", {
    key,
  });
  return {
    session,
    pin: stored ? pinFrom(db, stored.data) : null,
    pinVersion: stored?.version ?? null,
    retired: stored?.retired ?? null,
    outline: session ? yield* readOutline(db, session.conversation) : [],
    checkpoint: stored
      ? yield* selectCheckpointHead(db, { key, agent, handle: stored.handle })
      : null,
    purgedAt: tombstone?.at ?? null,
    askedLast: yield* askedLast(db, key, agent),
    lastLaunch: yield* lastLaunch(db, key, turn),
  };
};

/** A turn that was refused or cancelled before its launch says nothing: the agent never saw it. */
function* askedLast(db: Db, key: string, agent: string): Query<boolean> {
  const last = yield* db.get<{ kind: string | null }>(
    `SELECT asked -> 'question' ->> 'kind' AS kind FROM turn
     WHERE key = :key AND agent = :agent AND ended_at IS NOT NULL
       AND EXISTS (SELECT 1 FROM attempt WHERE attempt.turn = turn.id AND attempt.launch IS NOT NULL)
     ORDER BY seq DESC LIMIT 1`,
    { key, agent },
  );
  return last?.kind === "question";
}

function* lastLaunch(db: Db, key: string, except: string): Query<SessionFacts["lastLaunch"]> {
  const last = yield* db.get<{ turn: string; folder: string }>(
    `SELECT turn.id AS turn, attempt.launch ->> 'folder' AS folder
     FROM turn JOIN attempt ON attempt.turn = turn.id
     WHERE turn.key = :key AND turn.id <> :except AND attempt.launch IS NOT NULL
     ORDER BY turn.seq DESC, attempt.number DESC LIMIT 1`,
    { key, except },
  );
  return last ?? null;
}
