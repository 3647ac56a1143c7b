/**
 * Acquires a turn: afterwards this process owns it, and it owns its session. A new turn gets a free session at
 * once, a queued one waits behind those ahead of it, and one whose owner is gone is taken over. `driveTurn`
 * then runs it.
 */

import { maxPromptBytes } from "@reprise/core/api/schemas";
import { FencedError, UsageError } from "@reprise/core/errors/errors";
import { cancelledBy } from "@reprise/core/session/cancel-reason";
import { isUnstarted, openStatuses, type Turn, type TurnRequest } from "@reprise/core/session/turn";
import type { SpoolState } from "@reprise/providers/launch/launcher";
import { isSame } from "@reprise/providers/launch/process";
import type { Agent } from "@reprise/store/contract/agents";
import type { OpenTurnQuery, TurnOpening } from "@reprise/store/contract/turns";
import type { Store } from "@reprise/store/store";
import { nextChange } from "../changes.ts";
import { actor, type Engine } from "../engine.ts";
import { absentOwners, isStopped } from "../hosts.ts";
import { checkAccess } from "./access.ts";
import { bindAgent, probe } from "./observe.ts";
import { isFree } from "./ownership.ts";
import { waitForSession } from "./queue.ts";
import { waitsUntil } from "./quota.ts";
import { type ClaimedTurn, type RunTurnOptions, readTurn, runTurn } from "./run-turn.ts";
import { withoutEffect } from "./without-effect.ts";

/** In milliseconds: the owner of the turn may die without writing anything. */
const pause = { atLeast: 25, atMost: 250 };
/** Milliseconds after which a cancelling caller checks whether the end can be recorded at all. */
const diskCheckInterval = 1000;

export type DriveTurnOptions = Pick<RunTurnOptions, "signal" | "leave" | "onProgress">;

/** A turn to open, under an id that was chosen before. */
export interface TurnOrder
  extends Pick<TurnOpening, "id" | "busy" | "by" | "settings" | "durability"> {
  readonly agent: Agent;
  readonly request: Omit<TurnRequest, "agent">;
}

/** The turn as it was opened; `claimed` if it owns its session, else `behind` is ahead of it, if known. */
export interface OpenedTurn {
  readonly turn: Turn;
  readonly claimed: ClaimedTurn | null;
  readonly behind: Turn | null;
}

/**
 * Checks everything it can, then writes the turn and gives it its session, if that is free. If a turn with this
 * id exists, that one is returned; if it was interrupted before anything was started, it is queued again.
 */
export async function openTurn(engine: Engine, order: TurnOrder): Promise<OpenedTurn> {
  const { agent, request, ...opening } = order;
  checkPrompt(request.prompt);
  const within = request.within ?? engine.within;
  const bound = bindAgent(engine, agent, request);
  checkAccess(engine, bound, request);
  const found = await probe(engine, bound, { writes: true });
  const { turn, facts, behind } = await engine.store.beginTurn({
    ...opening,
    request: { ...request, agent: agent.name, ...(within !== null && { within }) },
    provider: agent.provider,
    owner: engine.owner,
    by: request.origin
      ? `run:${request.origin.run}`
      : actor({ env: engine.env, within }, opening.by),
    at: engine.now(),
  });
  if (facts) {
    const claim = { turn: turn.id, token: turn.token };
    return { turn, claimed: { ...claim, record: turn, agent, facts, probe: found }, behind };
  }
  if (!isUnstarted(turn)) return { turn, claimed: null, behind };
  const reopening = { turn: turn.id, owner: engine.owner, at: engine.now() };
  return { turn: await engine.store.reopenTurn(reopening), claimed: null, behind: null };
}

export function checkPrompt(prompt: string): void {
  if (prompt.trim() === "")
    throw new UsageError("empty-prompt", "The prompt is empty.", "Say what the agent should do.");
  const bytes = Buffer.byteLength(prompt);
  if (bytes > maxPromptBytes)
    throw new UsageError(
      "prompt-too-large",
      `The prompt has ${bytes} bytes; at most ${maxPromptBytes} can be sent.`,
      "Put the text into a file in the work folder and name it in the prompt.",
    );
}

/**
 * Acquires a turn, as its own caller would, and runs it: starts what was never started, adopts what runs,
 * settles what has ended. Returns the turn when it has ended, waits for an answer, or was left; null if it does
 * not exist.
 */
export async function driveTurn(
  engine: Engine,
  wanted: string | ClaimedTurn,
  options: DriveTurnOptions = {},
): Promise<Turn | null> {
  for (let turn = wanted; ; ) {
    const acquired = typeof turn === "string" ? await acquireTurn(engine, turn, options) : turn;
    if (acquired === null || !("record" in acquired)) return acquired;
    try {
      return await runTurn(engine, acquired, options);
    } catch (error) {
      // Another process took it first: look again.
      if (!(error instanceof FencedError) && !options.leave?.aborted) throw error;
    }
    turn = acquired.turn;
  }
}

/** Waits until this process owns the turn. Returns the turn itself if there is nothing to run: see `driveTurn`. */
async function acquireTurn(
  engine: Engine,
  id: string,
  options: DriveTurnOptions,
): Promise<ClaimedTurn | Turn | null> {
  const { signal, leave } = options;
  let turn = await engine.store.readTurn(id);
  let checkedDisk = performance.now();
  for (let mark = 0; ; ) {
    if (turn === null || !openStatuses.includes(turn.status)) return turn;
    if (turn.status === "waiting" && !signal?.aborted) return turn;
    if (leave?.aborted) return turn;
    // The owner may be unable to record the end: report why instead of waiting for ever.
    if (signal?.aborted && performance.now() - checkedDisk >= diskCheckInterval) {
      await engine.store.checkWritable();
      checkedDisk = performance.now();
    }
    try {
      const acquired = await tryToAcquire(engine, turn, options);
      if (acquired === "owned") {
        const wake = [leave, signal?.aborted ? undefined : signal];
        const over = AbortSignal.any(wake.filter((each) => each !== undefined));
        const next = await nextChange(engine.store, mark, { ...pause, signal: over });
        if (next === mark) continue;
        mark = next;
      } else if (acquired) return acquired;
    } catch (error) {
      // Another process took it first: look again.
      if (!(error instanceof FencedError) && !leave?.aborted) throw error;
    }
    turn = await engine.store.readTurn(id);
  }
}

/** `owned`: a live owner, or another call in this process, drives it. Null if it has to be read again. */
async function tryToAcquire(
  engine: Engine,
  turn: Turn,
  options: DriveTurnOptions,
): Promise<ClaimedTurn | "owned" | null> {
  const { signal, leave, onProgress } = options;
  const { id, owner, status } = turn;
  if (status === "waiting") return abandon(engine, turn, "cancelled", cancelledBy(signal));
  const ours = owner !== null && isSame(owner, engine.owner);
  if (status === "queued" && ours)
    return waitForSession(engine, turn, { signal, leave, onWaiting: onProgress });
  if (!(await isFree(engine, turn))) return lookAtOwner(engine, turn, options);
  // End the processes before anything is written, so that a full disk cannot prevent a cancellation.
  if (signal?.aborted && status === "running")
    await engine.launcher.cancel(id, engine.settings.endGrace, cancelledBy(signal));
  const claimed = await takeOver(engine, turn);
  // A queued turn has its place in the queue; now it is ours.
  return status === "queued" ? null : claimed;
}

/** Makes this process the owner of an open turn, and fences the previous one; null if another process was faster. */
export async function takeOver(engine: Engine, turn: Turn): Promise<ClaimedTurn | null> {
  const { id, token: before } = turn;
  const token = await engine.store.takeOver({ turn: id, token: before, owner: engine.owner });
  if (token === null) return null;
  // The previous owner may have written since `turn` was read.
  return { turn: id, token, record: await readTurn(engine, id) };
}

/** Another owner's turn. A cancel ends its processes, and the owner settles it. */
async function lookAtOwner(
  engine: Engine,
  turn: Turn,
  { signal }: DriveTurnOptions,
): Promise<ClaimedTurn | "owned" | null> {
  if (signal?.aborted) {
    const by = cancelledBy(signal);
    if (turn.status === "queued") return abandon(engine, turn, "cancelled", by);
    await engine.launcher.cancel(turn.id, engine.settings.endGrace, by);
    // A stopped (SIGSTOP) owner settles nothing, and one that waits for a reset has nothing to settle: fence it and end
    // the turn here.
    const isStill = turn.owner !== null && isStopped(turn.owner);
    if (isStill || waitsUntil(turn) !== null) return takeOver(engine, turn);
  }
  return "owned";
}

// Walks through open turns page by page, so that their number never matters to one call.

const page = 200;

type Wanted = Omit<OpenTurnQuery, "after" | "limit">;

/** Oldest first. */
export async function* openTurns(
  store: Pick<Store, "listOpenTurns">,
  wanted: Wanted = {},
): AsyncGenerator<Turn> {
  for (let after: Turn | undefined; ; ) {
    const turns = await store.listOpenTurns({ ...wanted, ...(after && { after }), limit: page });
    yield* turns;
    if (turns.length < page) return;
    after = turns.at(-1);
  }
}

/** Turns on which no process works, as far as can be seen from here; for each of them `isFree` decides. */
export async function* leftTurns(
  engine: Engine,
  wanted: Omit<Wanted, "leftBy"> = {},
): AsyncGenerator<Turn> {
  yield* openTurns(engine.store, { ...wanted, leftBy: await absentOwners(engine) });
}

// Recovers turns whose process is gone: adopts the agent, takes its answer, or marks the turn interrupted.

/** A queued turn that any process may run: its caller knows that it is queued, or has left it. */
export function isServable({ status, acknowledged, owner }: Turn): boolean {
  return status === "queued" && (acknowledged || owner === null);
}

/** Takes over a dead process's turn and runs it to its end; true when the queue has moved. */
export async function recover(
  engine: Engine,
  turn: Turn,
  options: Pick<RunTurnOptions, "leave" | "runsNext"> = {},
): Promise<boolean> {
  const claimed = await takeOver(engine, turn);
  if (claimed === null) return true;
  if (claimed.record.status === "queued") await abandon(engine, claimed.record, "interrupted");
  else await runTurn(engine, claimed, { ...options, orphaned: true });
  return true;
}

/**
 * Settles every open turn of a dead process whose agent is not running any more. A running agent is left
 * alone, and a turn of a run that still has to start is left to its run. A turn that cannot be settled now
 * stays as it is: it must not prevent the home from opening.
 */
export async function recoverEnded(engine: Engine): Promise<void> {
  for await (const turn of leftTurns(engine)) {
    if (!(await isFree(engine, turn))) continue;
    if (isServable(turn)) continue;
    const state = await launchState(engine, turn);
    if (state === "running") continue;
    if (turn.request.origin && state !== "ended" && state !== "vanished") continue;
    // Reading commands open the home too: they do not run what is queued.
    await recover(engine, turn, { runsNext: false }).catch(() => {});
  }
}

/** The state of the unsettled launch; null if there is none. */
async function launchState(engine: Engine, turn: Turn): Promise<SpoolState | null> {
  const attempt = turn.attempts.at(-1);
  if (attempt === undefined || attempt.launch === null || attempt.ending !== null) return null;
  return engine.launcher.state({ turn: turn.id, attempt: attempt.number });
}

/** Ends a turn that no process works on: it is queued or waits for an answer. */
export async function abandon(
  engine: Engine,
  turn: Turn,
  status: "cancelled" | "interrupted",
  by: string | null = null,
): Promise<null> {
  const what = by === null ? `Turn ${turn.id} was ${status}` : `${by} cancelled turn ${turn.id}`;
  const when = turn.status === "waiting" ? "waited for an answer" : "was queued; nothing was sent";
  await engine.store.finishTurn({
    ...withoutEffect,
    turn: turn.id,
    token: turn.token,
    status,
    error: {
      code: status,
      message: `${what} while it ${when}.`,
      hint: "Send it again.",
      ...(by !== null && { by }),
    },
    at: engine.now(),
  });
  return null;
}
