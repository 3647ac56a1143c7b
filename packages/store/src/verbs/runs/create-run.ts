/** Writes a run with its first event, owned by the process that starts it. */

import { TerminalError } from "@reprise/core/errors/errors";
import type { Run } from "../../contract/runs.ts";
import { insertEvent } from "../events/event.ts";
import { lockRun } from "../locks.ts";
import type { Verb } from "../verb.ts";

export const createRun: Verb<"createRun"> = function* (
  db,
  { id, workflow, path, event, owner, at },
) {
  yield* lockRun(db, id);
  const created = yield* db.change(
    `INSERT INTO run (id, workflow, path, status, owner, token, started_at)
     VALUES (:id, :workflow, :path, 'running', :owner, 1, :at)
     ON CONFLICT (id) DO NOTHING`,
    { id, workflow, path, owner: JSON.stringify(owner), at },
  );
  if (created === 0)
    throw new TerminalError(
      "run-exists",
      `Run ${id} already exists.`,
      "Choose another id, or let Reprise choose one.",
    );
  yield* insertEvent(db, { stream: `run:${id}`, streamSeq: 1, event, at });
  const run: Run = {
    id,
    workflow,
    path,
    status: "running",
    owner,
    token: 1,
    seq: 1,
    error: null,
    failures: 0,
    startedAt: at,
    updatedAt: at,
    endedAt: null,
  };
  return run;
};
