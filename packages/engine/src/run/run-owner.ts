/**
 * Drives one run: takes a step, starts the tasks that follow from it, and takes the next step when a task
 * has ended, a timer is due, or another process wrote to the run.
 *
 *     step ──▶ work ──▶ ended ──▶ step …
 *       │ only a person can move it ──▶ parked, without an owner
 *       └ the run has ended
 *
 * Events from other processes (answers, a cancel) are noticed by the stream's sequence number; then the
 * state is rebuilt from the store. A process that takes the run over fences this one, which then leaves
 * its tasks running.
 */

import { FencedError, StoreError } from "@reprise/core/errors/errors";
import { command } from "@reprise/core/errors/hint";
import type { Run } from "@reprise/store/contract/runs";
import type { GraphNode } from "@reprise/workflow/graph";
import type { RunEvent } from "@reprise/workflow/run/event";
import type { ExecutionId } from "@reprise/workflow/run/execution";
import { nodeIndex } from "@reprise/workflow/run/graph-index";
import { currentTurn } from "@reprise/workflow/run/place";
import type { Execution, RunState, RunStatus } from "@reprise/workflow/run/state";
import { isWaiting } from "@reprise/workflow/run/status";
import { workOf } from "@reprise/workflow/run/work";
import type { Engine } from "../engine.ts";
import { forget, recordingFailure } from "../hosts.ts";
import { driveTurn } from "../turn/acquire.ts";
import { recordCancelMark } from "./cancel-mark.ts";
import { endEvent } from "./ending.ts";
import type { LoadedGraph } from "./graphs.ts";
import { failure, NodeTasks } from "./node-tasks.ts";
import { type KnownRun, readRunState } from "./read-state.ts";
import { type RunStep, takeStep } from "./step.ts";
import { asStored, toStored } from "./stream.ts";
import { WakeTimer } from "./wake-timer.ts";
import type { WorkEnd, Workers } from "./work/work.ts";

/** An event that is not written yet. */
interface PendingEvent {
  readonly event: RunEvent;
  readonly written?: () => void;
  readonly lost?: (error: unknown) => void;
}

export class RunOwner {
  readonly #engine: Engine;
  readonly #loaded: LoadedGraph;
  readonly #tasks: NodeTasks;
  readonly #wakeTimer: WakeTimer;
  readonly #leave = new AbortController();
  readonly #happened: PendingEvent[] = [];
  readonly #settling = new Set<Promise<void>>();
  #state: RunState;
  #token: number;
  /** As stored. */
  #status: RunStatus;
  #broken: { error: unknown } | null = null;
  /** It has stopped and writes nothing more. */
  #gone = false;

  constructor(parts: { engine: Engine; workers: Workers }, run: Run, known: KnownRun) {
    this.#engine = parts.engine;
    this.#loaded = known.loaded;
    this.#state = known.state;
    this.#token = run.token;
    this.#status = run.status;
    this.#wakeTimer = new WakeTimer(parts.engine);
    this.#tasks = new NodeTasks({
      ...parts,
      leave: this.#leave.signal,
      note: (event) => this.#note(event),
      ended: (id, node, end) => this.#ended(id, node, end),
      broke: (error) => this.fail(error),
    });
  }

  get state(): RunState {
    return this.#state;
  }

  /** The fencing token of this owner. */
  get token(): number {
    return this.#token;
  }

  /** What the end of the run changed in its row; null if this owner did not write the end. */
  get ended(): Partial<Run> | null {
    const { status, seq, error, endedAt } = this.#state;
    if (status === "running" || status !== this.#status || endedAt === null) return null;
    return { status, seq, error, endedAt, updatedAt: endedAt, owner: null, token: this.#token + 1 };
  }

  /** Checks at once what other processes wrote. */
  poll(): void {
    this.#wakeTimer.poll();
  }

  /** Releases the run: its tasks keep running, and it has no owner. */
  leave(): void {
    this.#leave.abort();
    this.#wakeTimer.wake();
  }

  /** Gives up: callers that wait for the run get this error. */
  fail(error: unknown): void {
    this.#broken ??= { error };
    this.#wakeTimer.wake();
  }

  /** Drives the run until it has ended, only a person can move it, or another process owns it. */
  async drive(): Promise<void> {
    try {
      await this.#recoverTasks();
      while (await this.#stepAndWait());
      forget(this.#engine, { kind: "run", id: this.#state.id });
    } catch (error) {
      await this.#stop(error);
      if (!(error instanceof FencedError)) throw this.#reported(error);
    } finally {
      this.#wakeTimer.end();
      await Promise.all(this.#settling);
    }
  }

  /** Takes one step and waits for the next event; false if there is nothing more to do here. */
  async #stepAndWait(): Promise<boolean> {
    const until = await this.#step();
    if (this.#state.status !== "running") return false;
    if (this.#tasks.size === 0 && this.#happened.length === 0) {
      if (this.#leave.signal.aborted) return this.#release().then(() => false);
      if (this.#status === "waiting") return !(await this.#park());
    }
    if (this.#happened.length > 0) return true;
    if ((await this.#wakeTimer.until(until)) === "poll") await this.#readChanges();
    if (this.#broken) throw this.#broken.error;
    return true;
  }

  /** Writes the pending events and what follows from them, then starts the new tasks. */
  async #step(): Promise<number | null> {
    for (;;) {
      const happened = [...this.#happened];
      const asking = this.#asking().flatMap((execution) => currentTurn(execution) ?? []);
      for (const { event } of happened) if (event.type === "node.waiting") asking.push(event.turn);
      const now = this.#engine.now();
      const step = takeStep(
        this.#loaded,
        this.#state,
        happened.map(({ event }) => event),
        { now, boot: this.#engine.owner.boot, only: this.#leave.signal.aborted },
      );
      if (this.#state.status !== "running") await this.#abandon(asking);
      if (!(await this.#write(step, now))) continue;
      for (const { written } of this.#happened.splice(0, happened.length)) written?.();
      for (const { execution, work } of step.starts)
        this.#tasks.begin(this.#state, this.#execution(execution), work, false);
      return step.until;
    }
  }

  /** False if another process wrote to the run, so that the step is void. */
  async #write({ events, opens, due, starts, durability }: RunStep, at: number): Promise<boolean> {
    const status = this.#statusWith(starts.length);
    if (events.length === 0 && status === this.#status) return true;
    // A cancellation that could not be recorded comes first: it is why the tasks ended.
    await recordCancelMark(this.#engine, this.#state.id);
    // The caller learns next that the run waits or has ended.
    const isBuffered = status === "running" && durability === "buffered";
    const { store } = this.#engine;
    try {
      await store[isBuffered ? "advanceRunBuffered" : "advanceRun"]({
        run: this.#state.id,
        token: this.#token,
        expectedSeq: this.#state.seq - events.length,
        events: events.map(toStored),
        status,
        error: this.#state.error,
        opens,
        due,
        at,
      });
    } catch (error) {
      if (!(error instanceof StoreError && error.code === "conflict")) throw error;
      await this.#readAgain();
      return false;
    }
    this.#status = status;
    return true;
  }

  #statusWith(starts: number): RunStatus {
    if (this.#state.status !== "running") return this.#state.status;
    const idle = this.#tasks.size + starts === 0;
    return idle && isWaiting(this.#loaded.graph, this.#state) ? "waiting" : "running";
  }

  #ended(id: ExecutionId, node: GraphNode, end: WorkEnd): void {
    const context = { now: this.#engine.now(), random: Math.random() };
    const event = endEvent(end, { node, execution: this.#execution(id), ...context });
    const settled = "settled" in end ? end.settled : undefined;
    if (event)
      this.#happened.push({
        event: asStored(this.#engine, event),
        ...(settled && { written: () => this.#settle(settled) }),
      });
    this.#wakeTimer.wake();
  }

  /** Removes what only a recovery would have needed; it does no harm if that fails. */
  #settle(settled: () => Promise<void>): void {
    const settling = settled()
      .catch(() => {})
      .finally(() => this.#settling.delete(settling));
    this.#settling.add(settling);
  }

  #note(event: RunEvent): Promise<void> {
    if (this.#gone) return Promise.reject(new FencedError(this.#state.id, "Run"));
    return new Promise((resolve, reject) => {
      const stored = asStored(this.#engine, event);
      this.#happened.push({ event: stored, written: resolve, lost: reject });
      this.#wakeTimer.wake();
    });
  }

  /** Another process may have written to the run, an agent was answered, or a gate's deadline has passed. */
  async #readChanges(): Promise<void> {
    const run = await this.#engine.store.readRun(this.#state.id);
    if (run?.token !== this.#token) throw new FencedError(this.#state.id, "Run");
    if (run.seq !== this.#state.seq || (await this.#expire())) await this.#readAgain();
    else await this.#recoverTasks();
  }

  /** Expires overdue gates of a run that we own; those of parked runs are expired when a home is opened. */
  async #expire(): Promise<boolean> {
    const now = this.#engine.now();
    let expired = false;
    for (const execution of this.#waiting()) {
      const { node } = nodeIndex(this.#loaded.graph, execution.node);
      if (node.type !== "gate" || execution.type !== "gate") continue;
      const { item, startedAt } = execution;
      if (node.deadline === null || item === null || startedAt + node.deadline > now) continue;
      expired = (await this.#engine.store.expireItem({ item })) || expired;
    }
    return expired;
  }

  async #readAgain(): Promise<void> {
    const { state } = await readRunState(this.#engine, this.#state.id);
    this.#state = state;
    await this.#recoverTasks();
  }

  /** Continues tasks that were started and have no process here; cancels all tasks if the run is cancelled. */
  async #recoverTasks(): Promise<void> {
    if (this.#state.cancelling) this.#tasks.cancel();
    if (this.#leave.signal.aborted) return;
    for (const id of this.#state.active) this.#recover(id);
    for (const { id } of await this.#answered()) this.#recover(id);
  }

  /** Waiting agents whose turn was answered. */
  async #answered(): Promise<Execution[]> {
    const answered: Execution[] = [];
    for (const execution of this.#asking()) {
      const turn = await this.#engine.store.readTurn(currentTurn(execution) ?? "");
      if (turn?.status !== "waiting") answered.push(execution);
    }
    return answered;
  }

  #recover(id: ExecutionId): void {
    // Its end may already be known here and only wait to be written.
    if (this.#tasks.has(id) || this.#happened.some(({ event }) => isEndOf(id, event))) return;
    try {
      const work = workOf(this.#loaded.graph, this.#state, id);
      this.#tasks.begin(this.#state, this.#execution(id), work, true);
    } catch (error) {
      const { node } = nodeIndex(this.#loaded.graph, this.#execution(id).node);
      this.#ended(id, node, failure(error));
    }
  }

  /** The run ends while agents wait for an answer: release their sessions. */
  async #abandon(turns: readonly string[]): Promise<void> {
    for (const turn of turns) await driveTurn(this.#engine, turn, { signal: AbortSignal.abort() });
  }

  #asking(): Execution[] {
    return this.#waiting().filter((execution) => currentTurn(execution) !== null);
  }

  #waiting(): Execution[] {
    return [...this.#state.waiting].map((id) => this.#execution(id));
  }

  #execution(id: ExecutionId): Execution {
    const execution = this.#state.executions.get(id);
    if (execution) return execution;
    throw new Error(`Run ${this.#state.id} has no execution ${id}.`);
  }

  /** Releases a run that only a person can move. False if it was moved meanwhile and is ours again. */
  async #park(): Promise<boolean> {
    await this.#release();
    const { store, owner } = this.#engine;
    const run = await store.readRun(this.#state.id);
    // An answer that came before the release relied on us to continue: re-check for it.
    const moved = run?.seq !== this.#state.seq || (await this.#answered()).length > 0;
    if (run === null || !moved) return true;
    const token = await store.takeRun({ run: run.id, token: run.token, owner });
    if (token === null) return true;
    this.#token = token;
    this.#status = run.status;
    await this.#readAgain();
    return false;
  }

  async #release(): Promise<void> {
    await this.#engine.store.takeRun({ run: this.#state.id, token: this.#token, owner: null });
  }

  async #stop(error: unknown): Promise<void> {
    this.#gone = true;
    this.#leave.abort();
    for (const { lost } of this.#happened) lost?.(error);
    await this.#tasks.settle();
  }

  /** A full disk is not a failure of the run, which continues when there is space. */
  #reported(error: unknown): unknown {
    const failure = recordingFailure(error);
    if (failure === null) return error;
    const { id } = this.#state;
    const { message } = failure.cause instanceof StoreError ? failure.cause : failure;
    return new StoreError(
      failure.code,
      `Run ${id} cannot be recorded. ${message}`,
      `Its agents and scripts keep running, and nothing has failed. Free some disk space: then a running server continues the run (${command("up --detach")}).`,
    );
  }
}

function isEndOf(id: ExecutionId, event: RunEvent): boolean {
  const ends = event.type === "node.done" || event.type === "node.failed";
  return (ends || event.type === "node.waiting") && event.execution === id;
}
