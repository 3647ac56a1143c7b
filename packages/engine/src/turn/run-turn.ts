/**
 * Runs a turn that has its session, from wherever its record says it is, to its end:
 *
 *     decided ── refuse ─────────────────────────────▶ refused
 *        │ prepared, launched
 *        ▼
 *     running ── confirmed · failed · cancelled … ───▶ ended
 *        │ rejected before any tool ran (once), or the launch was to compact (once)
 *        └────────▶ decided again
 *
 * Every arrow is one transaction, so a process that takes the turn over begins at the last one.
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
import type { Attempt, Turn } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";
import { forget, letGo, recordingFailure } from "../unrecorded.ts";
import {
  compacts,
  overflowed,
  triedToCompact,
  withEarlierNotices,
  withNotices,
} from "./compaction.ts";
import { CancelledBefore } from "./free-agent.ts";
import { launch, relaunch } from "./launch.ts";
import { type Equipment, equip, observe, probe, type Situation } from "./observe.ts";
import type { Place } from "./place.ts";
import { afterImport, importNativeTurns, prepare } from "./preparation.ts";
import { composePrompt } from "./prompt.ts";
import { type LaunchedAttempt, settle } from "./settle.ts";
import { decisionView } from "./views.ts";
import { watch, withoutSpool } from "./watch.ts";
import { withoutEffect } from "./without-effect.ts";

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Stops carrying the turn on: its agent works on, and whoever comes next takes its answer. */
  readonly leave?: AbortSignal | undefined;
  /** The caller is gone: what was never started is not started now, unless it was promised. */
  readonly orphaned?: boolean;
}

export async function runTurn(engine: Engine, place: Place, options: RunOptions): Promise<Turn> {
  try {
    const { request } = place.record;
    const equipment = equip(engine, await agentOf(engine, place.record), request);
    await carryThrough(engine, place, equipment, options);
    forget(engine, { kind: "turn", id: place.turn });
  } catch (error) {
    if (error instanceof FencedError) throw error;
    if (error instanceof CancelledBefore)
      await finishUnlaunched(engine, place, "cancelled", cancelledWaiting(place.turn, error.by));
    else await endOrLetGo(engine, place, error);
  }
  return readTurn(engine, place.turn);
}

/**
 * A turn of which nothing was started has failed. One whose agent may be at work stays open, and so does
 * one that was promised and only lacks room on the disk: any process may continue it.
 */
async function endOrLetGo(engine: Engine, place: Place, error: unknown): Promise<void> {
  const { record, turn, token } = place;
  const failure = recordingFailure(error);
  const launched = await readTurn(engine, turn).then(
    ({ attempts }) => attempts.some(isLaunched),
    () => true,
  );
  const promised = record.acknowledged || record.request.origin !== null;
  const letItGo = async (failed: StoreError | null) => {
    await letGo(engine, { kind: "turn", id: turn, token }, failed);
    throw failed ? notRecorded(engine, turn, failed, { launched, promised }) : error;
  };
  if (launched || (failure && promised)) return letItGo(failure);
  try {
    await finishUnlaunched(
      engine,
      place,
      "failed",
      errorView(error instanceof RepriseError ? error : (failure ?? error)),
    );
  } catch (second) {
    if (second instanceof FencedError) throw second;
    await letItGo(recordingFailure(second));
  }
}

function notRecorded(
  { home }: Engine,
  turn: string,
  cause: StoreError,
  { launched, promised }: { readonly launched: boolean; readonly promised: boolean },
): StoreError {
  const { code, message } = cause;
  const records =
    "Make room: a server then continues it by itself, or the next command on its session";
  const hint = launched
    ? `Its agent was started, and what it answers stays in ${join(home.path, "turns", turn)}. ${records}.`
    : promised
      ? `Nothing was sent yet. ${records}.`
      : "Nothing was sent to the agent. Make room, then send it again.";
  return new StoreError(code, `Turn ${turn} cannot be recorded. ${message}`, hint, { cause });
}

async function carryThrough(
  engine: Engine,
  place: Place,
  equipment: Equipment,
  options: RunOptions,
): Promise<void> {
  for (;;) {
    const record = await readTurn(engine, place.turn);
    const here = { ...place, record };
    const open = record.attempts.at(-1);
    let launched: LaunchedAttempt;
    if (open && isLaunched(open)) {
      if (!(await findAgain(engine, here, equipment, open, options))) return;
      launched = open;
    } else {
      const number = record.attempts.filter(({ ending }) => ending !== null).length + 1;
      if (options.orphaned && number === 1 && !record.acknowledged)
        return finishUnlaunched(engine, here, "interrupted", interrupted(record));
      await engine.launcher.remove(record.id);
      const { situation, prompt } = await decideAttempt(engine, here, number, equipment);
      options.onProgress?.({ type: "decided", decision: decisionView(situation.decision) });
      if (situation.decision.outcome === "refuse")
        return finishUnlaunched(engine, here, "refused", situation.decision.error);
      await launch(engine, here, number, situation, prompt, options);
      options.onProgress?.({ type: "launched", attempt: number });
      launched = await launchedAttempt(engine, record.id);
    }
    // While the agent works, it costs nobody's time.
    await dropOlderSpool(engine, record);
    const seen = await watch(
      engine,
      { turn: record.id, attempt: launched.number },
      equipment.provider,
      {
        expectedId: launched.handle,
        deadline: deadlineOf(engine, record, launched),
        signal: options.signal,
        leave: options.leave,
        // What it says while it compacts is no answer.
        onProgress: compacts(launched) ? undefined : options.onProgress,
      },
    );
    const settled = await settle(engine, here, equipment, launched, seen);
    if (settled === "finished") return;
  }
}

/** Observes and decides; a preparation that fails is decided again, with the history counted as lost. */
async function decideAttempt(
  engine: Engine,
  { record, ...held }: Place,
  number: number,
  equipment: Equipment,
): Promise<{ situation: Situation; prompt: string }> {
  const { request } = record;
  const found = await probe(engine, equipment, { writes: true });
  let imported: Situation | null = null;
  for (let restorable = true; ; ) {
    const observed = await observe(engine, equipment, found, request, {
      restorable,
      answered: record.answer !== null,
      overflowed: overflowed(record),
      triedToCompact: triedToCompact(record),
    });
    if (imported === null && (await importNativeTurns(engine, held, observed))) {
      imported = observed;
      continue;
    }
    const decided = imported ? afterImport(observed.decision, imported) : observed.decision;
    const situation = { ...observed, decision: withEarlierNotices(record, decided) };
    const composition = await composePrompt(engine, record, situation);
    const decision = withNotices(situation.decision, composition?.notices ?? []);
    const bumpEpoch =
      situation.pin !== null &&
      decision.verdicts.some(({ guard, held }) => guard === "history" && !held);
    // The launch, or the end, promises it as well; what is prepared touches the provider's files before.
    const prepares = decision.outcome === "resume" && decision.prepare.length > 0;
    await engine.store.recordDecision({
      ...held,
      number,
      decision,
      bumpEpoch,
      durability: prepares ? "promised" : "ahead",
      at: engine.now(),
    });
    if (!restorable || (await prepare(engine, held, number, situation)))
      return { situation: { ...situation, decision }, prompt: composition?.text ?? "" };
    restorable = false;
  }
}

/** Makes a recorded launch one that can be watched; false when it was settled as interrupted. */
async function findAgain(
  engine: Engine,
  place: Place,
  equipment: Equipment,
  attempt: LaunchedAttempt,
  { orphaned, signal }: RunOptions,
): Promise<boolean> {
  const { record } = place;
  const spool = { turn: record.id, attempt: attempt.number };
  const state = await engine.launcher.state(spool);
  if (state === "running" || state === "ended" || state === "vanished") return true;
  const promised = !orphaned || record.acknowledged || attempt.number > 1;
  // When the machine was started since, a ticket may be lost, so its absence proves nothing.
  const rebooted = attempt.launch.boot !== engine.owner.boot;
  if (state === "unstarted" && promised && !rebooted) {
    await relaunch(engine, record, equipment, attempt);
    return true;
  }
  if (state === "unstarted" && !(await engine.launcher.withdraw(spool))) return true;
  if (state === "absent" || rebooted) {
    // It may have run, and may run still: nothing is started beside it, and nothing is sent again.
    await engine.launcher.end(record.id, engine.settings.endGrace);
    await settle(engine, place, equipment, attempt, withoutSpool(signal));
  } else await finishUnlaunched(engine, place, "interrupted", interrupted(record));
  return false;
}

export async function finishUnlaunched(
  engine: Engine,
  { record, ...held }: Place,
  status: "interrupted" | "refused" | "failed" | "cancelled",
  error: Turn["error"],
): Promise<void> {
  const open = (await readTurn(engine, record.id)).attempts.find(({ ending }) => ending === null);
  await engine.store.finishTurn({
    ...withoutEffect,
    ...held,
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
    `There is no agent ${record.request.agent} any more.`,
    "Create it again, then send the turn again.",
  );
}

export async function readTurn(engine: Engine, id: string): Promise<Turn> {
  const turn = await engine.store.readTurn(id);
  if (turn) return turn;
  throw new NotFoundError("no-turn", `There is no turn ${id}.`, "Look it up with sessions show.");
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

/** The last turn's spool stays for whoever wants to look; the one before it goes, if it can be removed. */
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
  message: `Turn ${record.id} was interrupted, and nothing shows that the agent was started.`,
  hint: "Send it again.",
});
