/**
 * Runs a turn that owns its session to its end, starting from the state in its record:
 *
 *     decided ── refuse ─────────────────────────────▶ refused
 *        │ prepared, launched
 *        ▼
 *     running ── confirmed · failed · cancelled … ───▶ ended
 *        │ rejected before any tool ran (once), or the launch was to compact (once)
 *        └────────▶ decided again
 *
 * Every arrow is one transaction, so a process that takes the turn over continues after the last one.
 */

import { join } from "node:path";
import type { Progress } from "@reprise/core/api/reprise";
import {
  errorView,
  FencedError,
  NotFoundError,
  RepriseError,
  StoreError,
} from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import { decide } from "@reprise/core/session/decide";
import type { Attempt, Turn } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";
import { forget, recordingFailure, release } from "../unrecorded.ts";
import type { ClaimedTurn } from "./claimed-turn.ts";
import {
  compacts,
  overflowed,
  triedToCompact,
  withEarlierNotices,
  withNotices,
} from "./compaction.ts";
import { CancelledBefore } from "./free-agent.ts";
import { launch, relaunch } from "./launch.ts";
import { type BoundAgent, bindAgent, observe, probe, type TurnContext } from "./observe.ts";
import { afterImport, importNativeTurns, prepare } from "./preparation.ts";
import { composePrompt } from "./prompt.ts";
import { type LaunchedAttempt, settle } from "./settle.ts";
import { decisionView } from "./views.ts";
import { watch, withoutSpool } from "./watch.ts";
import { withoutEffect } from "./without-effect.ts";

export interface RunTurnOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Stops driving the turn: its agent keeps running, and the next owner takes its answer. */
  readonly leave?: AbortSignal | undefined;
  /** The caller is gone: a turn that was never started is not started now, unless it was acknowledged. */
  readonly orphaned?: boolean;
}

export async function runTurn(
  engine: Engine,
  claimed: ClaimedTurn,
  options: RunTurnOptions,
): Promise<Turn> {
  try {
    const { request } = claimed.record;
    const bound = bindAgent(engine, await agentOf(engine, claimed.record), request);
    await runAttempts(engine, claimed, bound, options);
    forget(engine, { kind: "turn", id: claimed.turn });
  } catch (error) {
    if (error instanceof FencedError) throw error;
    if (error instanceof CancelledBefore)
      await finishUnlaunched(
        engine,
        claimed,
        "cancelled",
        cancelledWaiting(claimed.turn, error.by),
      );
    else await endOrRelease(engine, claimed, error);
  }
  return readTurn(engine, claimed.turn);
}

/**
 * Fails a turn of which nothing was started. A turn whose agent may be running stays open, and so does
 * one that must run and only lacks disk space: any process may continue it.
 */
async function endOrRelease(engine: Engine, claimed: ClaimedTurn, error: unknown): Promise<void> {
  const { record, turn, token } = claimed;
  const failure = recordingFailure(error);
  const launched = await readTurn(engine, turn).then(
    ({ attempts }) => attempts.some(isLaunched),
    () => true,
  );
  const mustRun = record.acknowledged || record.request.origin !== null;
  const releaseIt = async (failed: StoreError | null) => {
    await release(engine, { kind: "turn", id: turn, token }, failed);
    throw failed ? notRecorded(engine, turn, failed, { launched, mustRun }) : error;
  };
  if (launched || (failure && mustRun)) return releaseIt(failure);
  try {
    await finishUnlaunched(
      engine,
      claimed,
      "failed",
      errorView(error instanceof RepriseError ? error : (failure ?? error)),
    );
  } catch (second) {
    if (second instanceof FencedError) throw second;
    await releaseIt(recordingFailure(second));
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

async function runAttempts(
  engine: Engine,
  claimed: ClaimedTurn,
  bound: BoundAgent,
  options: RunTurnOptions,
): Promise<void> {
  for (;;) {
    const record = await readTurn(engine, claimed.turn);
    const here = { ...claimed, record };
    const open = record.attempts.at(-1);
    let launched: LaunchedAttempt;
    if (open && isLaunched(open)) {
      if (!(await findAgain(engine, here, bound, open, options))) return;
      launched = open;
    } else {
      const number = record.attempts.filter(({ ending }) => ending !== null).length + 1;
      if (options.orphaned && number === 1 && !record.acknowledged)
        return finishUnlaunched(engine, here, "interrupted", interrupted(record));
      await engine.launcher.remove(record.id);
      const { context, prompt } = await decideAttempt(engine, here, number, bound);
      options.onProgress?.({ type: "decided", decision: decisionView(context.decision) });
      if (context.decision.outcome === "refuse")
        return finishUnlaunched(engine, here, "refused", context.decision.error);
      await launch(engine, here, number, context, prompt, options);
      options.onProgress?.({ type: "launched", attempt: number });
      launched = await launchedAttempt(engine, record.id);
    }
    // Done while the agent works, so that nothing waits for it.
    await dropOlderSpool(engine, record);
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
    const settled = await settle(engine, here, bound, launched, seen);
    if (settled === "finished") return;
  }
}

/** Observes and decides. If the preparation fails, it decides again with the history counted as lost. */
async function decideAttempt(
  engine: Engine,
  { record, ...claim }: ClaimedTurn,
  number: number,
  bound: BoundAgent,
): Promise<{ context: TurnContext; prompt: string }> {
  const { request } = record;
  const found = await probe(engine, bound, { writes: true });
  let imported: TurnContext | null = null;
  for (let restorable = true; ; ) {
    const observation = await observe(engine, bound, found, request, {
      restorable,
      answered: record.answer !== null,
      overflowed: overflowed(record),
      triedToCompact: triedToCompact(record),
    });
    const decided = decide(observation.wanted, observation.pin, observation.observed);
    const first = { ...observation, decision: decided };
    if (imported === null && (await importNativeTurns(engine, claim, first))) {
      imported = first;
      continue;
    }
    const explained = imported ? afterImport(decided, imported) : decided;
    const context = { ...observation, decision: withEarlierNotices(record, explained) };
    const composition = await composePrompt(engine, record, context);
    const decision = withNotices(context.decision, composition?.notices ?? []);
    const bumpEpoch =
      context.pin !== null &&
      decision.verdicts.some(({ guard, passed }) => guard === "history" && !passed);
    // The launch, or the end, makes it durable; a preparation changes the provider's files before that.
    const prepares = decision.outcome === "resume" && decision.prepare.length > 0;
    await engine.store.recordDecision({
      ...claim,
      number,
      decision,
      bumpEpoch,
      durability: prepares ? "durable" : "buffered",
      at: engine.now(),
    });
    if (!restorable || (await prepare(engine, claim, number, context)))
      return { context: { ...context, decision }, prompt: composition?.text ?? "" };
    restorable = false;
  }
}

/** Finds a recorded launch again so that it can be watched; false if it was settled as interrupted. */
async function findAgain(
  engine: Engine,
  claimed: ClaimedTurn,
  bound: BoundAgent,
  attempt: LaunchedAttempt,
  { orphaned, signal }: RunTurnOptions,
): Promise<boolean> {
  const { record } = claimed;
  const spool = { turn: record.id, attempt: attempt.number };
  const state = await engine.launcher.state(spool);
  if (state === "running" || state === "ended" || state === "vanished") return true;
  const mustRun = !orphaned || record.acknowledged || attempt.number > 1;
  // After a reboot a ticket may be lost, so its absence proves nothing.
  const rebooted = attempt.launch.boot !== engine.owner.boot;
  if (state === "unstarted" && mustRun && !rebooted) {
    await relaunch(engine, record, bound, attempt);
    return true;
  }
  if (state === "unstarted" && !(await engine.launcher.withdraw(spool))) return true;
  if (state === "absent" || rebooted) {
    // It may have run or still be running: start nothing beside it and send nothing again.
    await engine.launcher.end(record.id, engine.settings.endGrace);
    await settle(engine, claimed, bound, attempt, withoutSpool(signal));
  } else await finishUnlaunched(engine, claimed, "interrupted", interrupted(record));
  return false;
}

export async function finishUnlaunched(
  engine: Engine,
  { record, ...claim }: ClaimedTurn,
  status: "interrupted" | "refused" | "failed" | "cancelled",
  error: Turn["error"],
): Promise<void> {
  const open = (await readTurn(engine, record.id)).attempts.find(({ ending }) => ending === null);
  await engine.store.finishTurn({
    ...withoutEffect,
    ...claim,
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

async function launchedAttempt(engine: Engine, turn: string): Promise<LaunchedAttempt> {
  const attempt = (await readTurn(engine, turn)).attempts.at(-1);
  if (attempt && isLaunched(attempt)) return attempt;
  throw new FencedError(turn);
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

/** Keeps the previous turn's spool for inspection and removes the one before it, if possible. */
async function dropOlderSpool(engine: Engine, { request, seq }: Turn): Promise<void> {
  for (let before = seq; before > 1; ) {
    const turns = await engine.store.listTurns({ key: request.key, before, limit: 5 });
    const launched = turns.find(({ attempts }) => attempts.length > 0);
    if (launched) return engine.launcher.remove(launched.id).catch(() => {});
    before = turns.at(-1)?.seq ?? 0;
  }
}

const cancelledWaiting = (turn: string, by: string | null) => ({
  code: "cancelled",
  message: `${by === null ? `Turn ${turn} was cancelled` : `${by} cancelled turn ${turn}`} while it waited for a free agent; nothing was sent.`,
  hint: "Send it again.",
  ...(by !== null && { by }),
});

const interrupted = (record: Turn) => ({
  code: "interrupted",
  message: `Turn ${record.id} was interrupted; there is no sign that the agent was started.`,
  hint: "Send it again.",
});
