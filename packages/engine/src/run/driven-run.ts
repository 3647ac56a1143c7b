/**
 * A run that this process carries. An exception while it advances is counted with the run, and it is tried
 * again after a pause; after five in a row the run is stuck, and its inbox item asks a person.
 *
 *     carry ──▶ ended | waits for a person | let go
 *       │ exception ──▶ counted ──▶ pause ──▶ carry …
 *       │                  └ the fifth in a row ──▶ stuck
 *       └ the store cannot be used ──▶ let go: the next process that opens the home tries again
 */

import { setTimeout as delay } from "node:timers/promises";
import { errorView } from "@reprise/core/errors/errors";
import { stuckChoices } from "@reprise/core/workflow/inbox-item";
import type { NewItem, Run } from "@reprise/store/store";
import { newId } from "../ids.ts";
import { letGo, recordingFailure } from "../unrecorded.ts";
import type { Driver } from "./driver.ts";
import { type KnownRun, readRunState } from "./read-state.ts";
import { RunOwner } from "./run-owner.ts";

/** As often as this in a row, a run may fail to advance before it is stuck. */
export const failuresToStuck = 5;
const firstPause = 50;
const pauseGrowth = 3;

export class DrivenRun {
  readonly id: string;
  /**
   * Settles when the run has ended, waits for a person, is stuck, or was let go; null when it is stuck
   * because what the store has of it cannot be read.
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
    // The error is for callers that wait for it, and there may be none.
    this.over.catch(() => {});
  }

  /** Looks at once at what others wrote. */
  look(): void {
    this.#owner?.look();
  }

  /** Lets go: what runs is left running, and the run has no owner. */
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
        // Another process has it by now.
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
    return { loaded: known.loaded, state: owner.state };
  }

  /** The run with one failure more, null when it is another process's. */
  async #note(error: unknown, token: number): Promise<Run | null> {
    const { engine } = this.#driver;
    const { store } = engine;
    const owned = { kind: "run", id: this.id, token } as const;
    try {
      // That the store cannot be used is no failure of the run.
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
      await letGo(engine, owned, recordingFailure(unrecorded));
      // The first error is what the caller must hear of.
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
