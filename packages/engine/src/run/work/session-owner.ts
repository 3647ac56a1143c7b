/**
 * Whether this run may continue a session. `wf:<run>:…` and `wf:<workflow>:…` look alike, so a run whose id
 * equals the name of a workflow could get one of its sessions by accident.
 */

import { UsageError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { AgentWork } from "@reprise/workflow/run/command";
import type { Engine } from "../../engine.ts";

/** @throws UsageError `session-of-another`. A key that the node got as its `sessionId` is intended, so it passes. */
export async function checkOwner(
  engine: Engine,
  run: string,
  { session, inputs }: Pick<AgentWork, "session" | "inputs">,
): Promise<void> {
  const { key, how, fork } = session;
  if (key !== inputs.sessionId) await check(engine, run, key, how);
  if (fork !== null && fork !== inputs.sessionId) await check(engine, run, fork, "continue");
}

async function check(
  engine: Engine,
  run: string,
  key: string,
  how: AgentWork["session"]["how"],
): Promise<void> {
  const [, name] = /^wf:([^:]+):agent:/.exec(key) ?? [];
  if (name === undefined) return;
  const { store } = engine;
  const isRuns = name === run;
  // A workflow's key conflicts only with a session that a run of that name created.
  if (!isRuns && (await store.readRun(name)) === null) return;
  const origin = await lastOrigin(engine, key);
  if (origin === null || (isRuns ? origin.run === run : origin.run !== name)) return;
  const [own, other] = await Promise.all([store.readRun(run), store.readRun(origin.run)]);
  if (how === "continue" && own?.workflow === other?.workflow) return;
  throw new UsageError(
    "session-of-another",
    `Session ${key} belongs to run ${origin.run} of the workflow ${other?.workflow}.`,
    isRuns
      ? `The id of this run is also the name of that workflow: use ${option("id")} with another id than ${run}.`
      : "The name of this workflow is also the id of that run: rename the workflow.",
  );
}

/** Whether this run has sent a turn to the session before. */
export async function usedBy({ store }: Engine, run: string, key: string): Promise<boolean> {
  for (let before: number | undefined; ; ) {
    const page = { key, limit: 100, ...(before !== undefined && { before }) };
    const turns = await store.listTurns(page);
    if (turns.some(({ request }) => request.origin?.run === run)) return true;
    before = turns.at(-1)?.seq;
    if (before === undefined) return false;
  }
}

/** The origin of the newest turn that a run sent; people may have sent others since. */
async function lastOrigin({ store }: Engine, key: string): Promise<TurnRequest["origin"]> {
  for (let before: number | undefined, limit = 1; ; limit = 100) {
    const turns = await store.listTurns({ key, limit, ...(before !== undefined && { before }) });
    const origin = turns.find(({ request }) => request.origin !== null)?.request.origin;
    if (origin) return origin;
    before = turns.at(-1)?.seq;
    if (before === undefined) return null;
  }
}
