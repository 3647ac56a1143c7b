/**
 * Runs a turn that owns its session to its end, starting from the state in its record:
 *
 *     observe ─▶ decide ── refuse ───────────────────▶ refused
 *                  │ prepare, compose, launch
 *                  ▼
 *                watch ── settle: done · failed … ───▶ ended
 *                  │ rejected before any tool ran (once), or the launch was to compact (once)
 *                  └────────▶ observe again
 *
 * Every step that is recorded is one transaction, so a process that takes the turn over continues after the
 * last one. While this process owns the turn, it passes the record along and does not read it again.
 */

import { join } from "node:path";
import type { DecisionView, Progress, TurnResult } from "@reprise/core/api/reprise";
import {
  type ErrorView,
  errorView,
  FencedError,
  NotFoundError,
  RepriseError,
  StoreError,
} from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import { cancelledBy } from "@reprise/core/session/cancel-reason";
import type { Decision, Verdict } from "@reprise/core/session/decision";
import type { Attempt, Turn } from "@reprise/core/session/turn";
import type { Agent } from "@reprise/store/contract/agents";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import type { TurnClaim } from "@reprise/store/contract/turns";
import type { Engine } from "../engine.ts";
import { forget, recordingFailure, release } from "../hosts.ts";
import { compacts, decideAttempt } from "./decide-attempt.ts";
import { CancelledBefore, launch, relaunch } from "./launch.ts";
import { type BoundAgent, bindAgent, type FoundProgram } from "./observe.ts";
import { switchAgent, untilReset } from "./quota.ts";
import { type EndedTurn, type LaunchedAttempt, settle } from "./settle.ts";
import { watch, withoutSpool } from "./watch.ts";
import { withoutEffect } from "./without-effect.ts";

/** A turn that owns its session: its record, and the token that proves the claim. */
export interface ClaimedTurn extends TurnClaim {
  readonly record: Turn;
  /** What was read when it was claimed; otherwise it is read when needed. */
  readonly agent?: Agent | null;
  readonly facts?: SessionFacts | null;
  readonly probe?: FoundProgram | null;
}

export interface RunTurnOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Stops driving the turn: its agent keeps running, and the next owner takes its answer. */
  readonly leave?: AbortSignal | undefined;
  /** The caller is gone: a turn that was never started is not started now, unless it was acknowledged. */
  readonly orphaned?: boolean;
  /** False: the next queued turn is not run afterwards. */
  readonly runsNext?: boolean;
}

export async function runTurn(
  engine: Engine,
  claimed: ClaimedTurn,
  options: RunTurnOptions,
): Promise<Turn> {
  const { turn, next } = await endOf(engine, claimed, options);
  const { signal, leave, runsNext = true } = options;
  if (next && runsNext && !signal?.aborted && !leave?.aborted) engine.runLater(next, leave);
  return turn;
}

async function endOf(
  engine: Engine,
  claimed: ClaimedTurn,
  options: RunTurnOptions,
): Promise<EndedTurn> {
  let here = claimed;
  try {
    for (;;) {
      const agent = here.agent ?? (await agentOf(engine, here.record));
      const bound = bindAgent(engine, agent, here.record.request);
      const ended = await runAttempts(engine, here, bound, options);
      if ("next" in ended) {
        forget(engine, { kind: "turn", id: claimed.turn });
        return ended;
      }
      here = ended;
    }
  } catch (error) {
    if (error instanceof FencedError) throw error;
    if (error instanceof CancelledBefore)
      return finishUnlaunched(
        engine,
        await reread(engine, here),
        "cancelled",
        cancelled(here.turn, `while it waited ${error.for}`, error.by),
      );
    return endOrRelease(engine, here, error);
  }
}

/**
 * Fails a turn of which nothing was started. A turn whose agent may be running stays open, and so does
 * one that must run and only lacks disk space: any process may continue it.
 */
async function endOrRelease(
  engine: Engine,
  claimed: ClaimedTurn,
  error: unknown,
): Promise<EndedTurn> {
  const { record, turn, token } = claimed;
  const failure = recordingFailure(error);
  const now = await reread(engine, claimed).catch(() => null);
  const launched = now === null || now.record.attempts.some(isLaunched);
  const mustRun = record.acknowledged || record.request.origin !== null;
  const releaseIt = async (failed: StoreError | null) => {
    await release(engine, { kind: "turn", id: turn, token }, failed);
    throw failed ? notRecorded(engine, turn, failed, { launched, mustRun }) : error;
  };
  if (now === null || launched || (failure && mustRun)) return releaseIt(failure);
  try {
    return await finishUnlaunched(
      engine,
      now,
      "failed",
      errorView(error instanceof RepriseError ? error : (failure ?? error)),
    );
  } catch (second) {
    if (second instanceof FencedError) throw second;
    return releaseIt(recordingFailure(second));
  }
}

function notRecorded(
  { home }: Engine,
  turn: string,
  cause: StoreError,
  { launched, mustRun }: { readonly launched: boolean; readonly mustRun: boolean },
): StoreError {
  const { code, message } = cause;
  const records =
    "Free some disk space: then a running server, or the next command on the session, continues it";
  const hint = launched
    ? `Its agent was started, and its answer stays in ${join(home.path, "turns", turn)}. ${records}.`
    : mustRun
      ? `Nothing was sent yet. ${records}.`
      : "Nothing was sent to the agent. Free some disk space, then send it again.";
  return new StoreError(code, `Turn ${turn} cannot be recorded. ${message}`, hint, { cause });
}

/** Returns the end of the turn, or the turn as another agent has it. */
async function runAttempts(
  engine: Engine,
  claimed: ClaimedTurn,
  bound: BoundAgent,
  options: RunTurnOptions,
): Promise<EndedTurn | ClaimedTurn> {
  for (let here = claimed; ; here = await reread(engine, here)) {
    const { record } = here;
    let facts = here.facts ?? (await loadFacts(engine, record));
    let launched = record.attempts.at(-1);
    if (launched && isLaunched(launched)) {
      const ended = await findAgain(engine, here, bound, launched, facts, options);
      if (ended) return ended;
    } else {
      const number = record.attempts.filter(({ ending }) => ending !== null).length + 1;
      // The spool of a launch that was not recorded.
      await engine.launcher.remove(record.id);
      if (options.orphaned && number === 1 && !record.acknowledged)
        return finishUnlaunched(engine, here, "interrupted", interrupted(record));
      if (options.signal?.aborted && number === 1)
        return finishUnlaunched(
          engine,
          here,
          "cancelled",
          cancelled(record.id, "before its agent was started", cancelledBy(options.signal)),
        );
      const decided = await decideAttempt(engine, { ...here, facts }, number, bound);
      const { context, attempt } = decided;
      options.onProgress?.({ type: "decided", decision: decisionView(context.decision) });
      if (context.decision.outcome === "refuse")
        return finishUnlaunched(
          engine,
          {
            ...here,
            record: { ...record, attempts: [...record.attempts, ...(attempt ? [attempt] : [])] },
          },
          "refused",
          context.decision.error,
        );
      const { quota } = context.decision;
      if (quota?.action === "switch") return switchAgent(engine, here, bound, quota);
      if (quota?.action === "wait") {
        await untilReset(engine, here, number, decided, quota, options);
        continue;
      }
      launched = await launch(engine, here, number, decided, options);
      facts = decided.facts ?? (await loadFacts(engine, record));
      options.onProgress?.({ type: "launched", attempt: number });
    }
    if (!isLaunched(launched)) throw new FencedError(record.id);
    // Done while the agent works, so that nothing waits for it. The spool of the last turn is for inspection.
    if (facts.lastLaunch) await engine.launcher.remove(facts.lastLaunch.turn).catch(() => {});
    const seen = await watch(
      engine,
      { turn: record.id, attempt: launched.number },
      bound.provider,
      {
        expectedId: launched.handle,
        deadline: deadlineOf(engine, record, launched),
        signal: options.signal,
        leave: options.leave,
        // What the agent says while it compacts is not an answer.
        onProgress: compacts(launched) ? undefined : options.onProgress,
      },
    );
    const ended = await settle(engine, { ...here, facts }, bound, launched, seen);
    if (ended) return ended;
  }
}

/** Finds a recorded launch again so that it can be watched; if that is not possible, settles it as interrupted. */
async function findAgain(
  engine: Engine,
  claimed: ClaimedTurn,
  bound: BoundAgent,
  attempt: LaunchedAttempt,
  facts: SessionFacts,
  { orphaned, signal }: RunTurnOptions,
): Promise<EndedTurn | null> {
  const { record } = claimed;
  const spool = { turn: record.id, attempt: attempt.number };
  const state = await engine.launcher.state(spool);
  if (state === "running" || state === "ended" || state === "vanished") return null;
  const mustRun = !orphaned || record.acknowledged || attempt.number > 1;
  // After a reboot a ticket may be lost, so its absence proves nothing.
  const rebooted = attempt.launch.boot !== engine.owner.boot;
  if (state === "unstarted" && mustRun && !rebooted) {
    await relaunch(engine, record, bound, attempt);
    return null;
  }
  if (state === "unstarted" && !(await engine.launcher.withdraw(spool))) return null;
  if (state !== "absent" && !rebooted)
    return finishUnlaunched(engine, claimed, "interrupted", interrupted(record));
  // It may have run or still be running: start nothing beside it and send nothing again.
  await engine.launcher.end(record.id, engine.settings.endGrace);
  return settle(engine, { ...claimed, facts }, bound, attempt, withoutSpool(signal));
}

/** Ends a turn whose agent was not started, with the attempt of its record that is still open. */
export function finishUnlaunched(
  engine: Engine,
  { record, turn, token }: ClaimedTurn,
  status: "interrupted" | "refused" | "failed" | "cancelled",
  error: Turn["error"],
): Promise<EndedTurn> {
  const open = record.attempts.find(({ ending }) => ending === null);
  return engine.store.finishTurn({
    ...withoutEffect,
    turn,
    token,
    status,
    error,
    notices: open?.decision.notices ?? [],
    attempt: open
      ? {
          number: open.number,
          ending: status,
          handle: null,
          exit: null,
          error,
          usage: null,
          tools: false,
          started: false,
        }
      : null,
    at: engine.now(),
  });
}

async function agentOf(engine: Engine, record: Turn) {
  const agent = await engine.store.readAgent(record.request.agent);
  if (agent) return agent;
  throw new NotFoundError(
    "no-agent",
    `Agent ${record.request.agent} no longer exists.`,
    "Create it again, then send the turn again.",
  );
}

export async function readTurn(engine: Engine, id: string): Promise<Turn> {
  const turn = await engine.store.readTurn(id);
  if (turn) return turn;
  throw new NotFoundError(
    "no-turn",
    `There is no turn ${id}.`,
    `${verb("sessions.show", slot("KEY"))} lists the turns of a session.`,
  );
}

/** The turn as it was driven: a caller must not take the record from before for its end. @throws NotFoundError `turn-gone` */
export function driven(before: Turn, after: Turn | null): Turn {
  if (after) return after;
  const { id, seq, request } = before;
  throw new NotFoundError(
    "turn-gone",
    `Turn ${seq} of session ${request.key} (${id}) is no longer in the database.`,
    "Its session was purged, or the database has lost it. Check what the agent did, then send it again.",
  );
}

/** The same claim, with the record as it is stored now; everything else that was read may be outdated. */
async function reread(engine: Engine, { turn, token }: ClaimedTurn): Promise<ClaimedTurn> {
  return { turn, token, record: await readTurn(engine, turn) };
}

function loadFacts({ store }: Engine, { id, request: { key, agent } }: Turn) {
  return store.load({ key, agent, turn: id });
}

function isLaunched(attempt: Attempt): attempt is LaunchedAttempt {
  return (
    attempt.launch !== null && attempt.ending === null && attempt.decision.outcome !== "refuse"
  );
}

function deadlineOf(engine: Engine, record: Turn, attempt: Attempt): number | null {
  const timeout = record.request.timeout ?? engine.settings.turnTimeout;
  return timeout === null ? null : attempt.startedAt + timeout;
}

const cancelled = (turn: string, when: string, by: string | null) => ({
  code: "cancelled",
  message: `${by === null ? `Turn ${turn} was cancelled` : `${by} cancelled turn ${turn}`} ${when}; nothing was sent.`,
  hint: "Send it again.",
  ...(by !== null && { by }),
});

function interrupted({ id, request }: Turn): ErrorView {
  return request.opens
    ? {
        code: "interrupted",
        message: `Reprise was ended while session ${request.key} was open in the agent's own program; what was typed there was not imported then.`,
        hint: "The next turn of the session imports it.",
      }
    : {
        code: "interrupted",
        message: `Turn ${id} was interrupted; there is no sign that the agent was started.`,
        hint: "Send it again.",
      };
}

/** Turns and decisions as the public API shows them. */
export function decisionView(decision: Decision): DecisionView {
  const { verdicts, notices, ...rest } = decision;
  const view = { ...rest, verdicts: verdicts.map(verdictView), notices: [...notices] };
  return "prepare" in view ? { ...view, prepare: [...view.prepare] } : view;
}

/** `held` is the earlier name of `passed`, for callers that still read it. */
export function verdictView(verdict: Verdict) {
  return { ...verdict, held: verdict.passed };
}

export function turnResult(turn: Turn): TurnResult {
  const { request, attempts, output, error, usage, notices } = turn;
  const last = attempts.at(-1);
  return {
    turn: { id: turn.id, seq: turn.seq, status: turn.status },
    session: {
      key: request.key,
      agent: request.agent,
      provider: turn.provider,
      epoch: turn.epoch,
    },
    prompt: request.prompt,
    decision: last ? decisionView(last.decision) : null,
    attempts: attempts.map(({ launch: _, ...attempt }) => ({
      ...attempt,
      denied: [...attempt.denied],
      argv: attempt.argv ? [...attempt.argv] : null,
      decision: decisionView(attempt.decision),
    })),
    asked:
      turn.status === "waiting" && turn.asked
        ? { ...turn.asked, lost: [...turn.asked.lost] }
        : null,
    access: attempts.findLast(({ launch }) => launch?.access)?.launch?.access ?? null,
    denied: attempts.flatMap(({ denied }) => [...denied]),
    output,
    error,
    usage,
    notices: [...notices],
  };
}
