/**
 * A run that this process drives. An exception while it advances is counted and retried after a pause;
 * after five in a row the run is stuck, and its inbox item asks a person what to do.
 *
 *     drive ──▶ ended | waits for a person | released
 *       │ exception ──▶ counted ──▶ pause ──▶ drive …
 *       │                  └ the fifth in a row ──▶ stuck
 *       └ the store cannot be used ──▶ released: the next process that opens the home tries again
 */

import { setTimeout as delay } from "node:timers/promises";
import { errorView } from "@reprise/core/errors/errors";
import type { NewItem } from "@reprise/store/contract/inbox";
import type { Run } from "@reprise/store/contract/runs";
import { stuckChoices } from "@reprise/workflow/inbox-item";
import { newId } from "../engine.ts";
import { recordingFailure, release } from "../hosts.ts";
import type { Driver } from "./driver.ts";
import { type KnownRun, readRunState } from "./read-state.ts";
import { RunOwner } from "./run-owner.ts";

/** After this many failures in a row to advance, a run is stuck. */
export const failuresToStuck = 5;
const firstPause = 50;
const pauseGrowth = 3;

export class DrivenRun {
  readonly id: string;
  /**
   * Settles when the run has ended, waits for a person, is stuck, or was released; null if it is stuck
   * because its stored events cannot be read.
   */
  readonly over: Promise<KnownRun | null>;
  readonly #driver: Driver;
  readonly #leave = new AbortController();
  #owner: RunOwner | null = null;
  #run: Run;

  constructor(driver: Driver, run: Run, known: KnownRun | null) {
    this.#driver = driver;
    this.#run = run;
    this.id = run.id;
    this.over = this.#drive(known);
    // Without a caller that awaits it, a rejection must not become an unhandled one.
    this.over.catch(() => {});
  }

  /** Checks at once what other processes wrote. */
  poll(): void {
    this.#owner?.poll();
  }

  /** Releases the run: its processes keep running, and it has no owner. */
  leave(): void {
    this.#leave.abort();
    this.#owner?.leave();
  }

  /** Gives up with this error. */
  fail(error: unknown): void {
    this.#owner?.fail(error);
  }

  async #drive(known: KnownRun | null): Promise<KnownRun | null> {
    for (let last = known; ; ) {
      try {
        last ??= await readRunState(this.#driver.engine, this.id);
        return await this.#try(last);
      } catch (error) {
        const token = this.#owner?.token ?? this.#run.token;
        const run = await this.#note(error, token);
        // Another process owns it by now, or it is stuck.
        if (run === null || run.status === "stuck") return last;
        this.#run = { ...run, token };
        await this.#pause(run.failures);
        if (this.#leave.signal.aborted) return this.#release(token).then(() => last);
        last = null;
      }
    }
  }

  async #try(known: KnownRun): Promise<KnownRun> {
    const owner = new RunOwner(this.#driver, this.#run, known);
    this.#owner = owner;
    if (this.#leave.signal.aborted) owner.leave();
    await owner.drive();
    const { state, ended } = owner;
    return { loaded: known.loaded, state, ...(ended && { ended: { ...this.#run, ...ended } }) };
  }

  /** The run with one more failure; null if another process owns it. */
  async #note(error: unknown, token: number): Promise<Run | null> {
    const { engine } = this.#driver;
    const { store } = engine;
    const owned = { kind: "run", id: this.id, token } as const;
    try {
      // An unusable store does not count as a failure of the run.
      if (recordingFailure(error) !== null) throw error;
      const run = await store.readRun(this.id);
      if (run?.token !== token) return null;
      const failures = run.failures + 1;
      const noted = await store.recordRunFailure({
        run: this.id,
        token,
        failures,
        error: errorView(error),
        limit: failuresToStuck,
        item: stuckItem(run, failures, error),
        at: engine.now(),
      });
      engine.report("a run could not be advanced", {
        run: this.id,
        failures,
        stuck: noted.status === "stuck",
        error: String((error as Error)?.stack ?? error),
      });
      return noted;
    } catch (unrecorded) {
      await release(engine, owned, recordingFailure(unrecorded));
      // The caller must see the first error.
      throw error;
    }
  }

  #pause(failures: number): Promise<void> {
    const pause = firstPause * pauseGrowth ** (failures - 1);
    return delay(pause, undefined, { signal: this.#leave.signal }).catch(() => {});
  }

  async #release(token: number): Promise<void> {
    await this.#driver.engine.store.takeRun({ run: this.id, token, owner: null });
  }
}

function stuckItem({ id, workflow }: Run, failures: number, error: unknown): NewItem {
  const { message, hint } = errorView(error);
  return {
    id: newId(),
    kind: "stuck",
    execution: null,
    title: `Run ${id} of "${workflow}" is stuck. Try again?`,
    message: `It could not be advanced ${failures} times in a row: ${message} ${hint}`,
    choices: stuckChoices,
    fields: [],
    answerers: [],
    passphrase: null,
    sessions: [],
    deadline: null,
  };
}
