/**
 * Takes and drives runs. A run has one owner at a time, and the store knows its process; which runs this
 * process really drives is known only here.
 */

import type { RunOptions } from "@reprise/core/api/reprise";
import { cancelledBy } from "@reprise/core/session/cancel-reason";
import { isSame } from "@reprise/providers/launch/process";
import type { Run } from "@reprise/store/contract/runs";
import type { Engine } from "../engine.ts";
import { askToCancel } from "./ask-to-cancel.ts";
import { recordCancelMark } from "./cancel-mark.ts";
import { DrivenRun } from "./driven-run.ts";
import { findRun } from "./find-run.ts";
import type { KnownRun } from "./read-state.ts";
import type { Workers } from "./work/work.ts";

export interface Driver {
  readonly engine: Engine;
  readonly workers: Workers;
  /** The runs that this driver drives, to be released when it closes. */
  readonly driven: Set<DrivenRun>;
}

/** By home and run, for the whole process: the store cannot tell two drivers of one process apart. */
const here = new Map<string, Promise<DrivenRun | null>>();

/** It is free, or its owner's host has been silent for long; whatever that owner still writes is fenced. */
export async function mayTake(driver: Driver, run: Run): Promise<boolean> {
  if (isUnowned(driver, run)) return true;
  return run.owner !== null && (await driver.engine.hosts.state(run.owner)) === "silent";
}

/** It has no live owner: its process is gone or has released it. */
export function isUnowned({ engine }: Driver, { id, owner }: Run): boolean {
  if (owner === null) return true;
  if (isSame(owner, engine.owner)) return !here.has(nameOf(engine, id));
  return engine.hosts.isGone(owner);
}

/** Drives a run that was just created by this process. */
export function drive(driver: Driver, run: Run, known: KnownRun): DrivenRun {
  const driven = begin(driver, run, known);
  here.set(nameOf(driver.engine, run.id), Promise.resolve(driven));
  return driven;
}

/** Takes the run and drives it; null if it has ended, is stuck, or another process owns it. */
export function take(driver: Driver, run: Run): Promise<DrivenRun | null> {
  const name = nameOf(driver.engine, run.id);
  const taking = here.get(name) ?? takeNow(driver, run);
  if (!here.has(name)) {
    here.set(name, taking);
    const forget = (driven: DrivenRun | null) => driven === null && here.delete(name);
    taking.then(forget, () => here.delete(name));
  }
  return taking;
}

async function takeNow(driver: Driver, run: Run): Promise<DrivenRun | null> {
  const { store, owner } = driver.engine;
  if (run.endedAt !== null || run.status === "stuck" || !(await mayTake(driver, run))) return null;
  const token = await store.takeRun({ run: run.id, token: run.token, owner });
  if (token === null) return null;
  try {
    await recordCancelMark(driver.engine, run.id);
    const taken = await findRun(driver.engine, run.id);
    return begin(driver, { ...taken, token }, null);
  } catch (error) {
    await store.takeRun({ run: run.id, token, owner: null });
    throw error;
  }
}

function begin(driver: Driver, run: Run, known: KnownRun | null): DrivenRun {
  const driven = new DrivenRun(driver, run, known);
  driver.driven.add(driven);
  const forget = () => {
    here.delete(nameOf(driver.engine, run.id));
    driver.driven.delete(driven);
  };
  driven.over.then(forget, forget);
  return driven;
}

/**
 * Drives a run until it is idle; null if it has ended, another process owns it, or it is stuck and cannot
 * be read. Afterwards it checks again for events that were appended while the run was being parked.
 */
export async function driveUntilIdle(
  driver: Driver,
  id: string,
  options: RunOptions,
): Promise<KnownRun | null> {
  for (let known: KnownRun | null = null; ; ) {
    const run = await findRun(driver.engine, id);
    if (known && (run.seq === known.state.seq || options.leave?.aborted)) return known;
    const driven = await take(driver, run);
    if (driven === null) return known;
    known = await untilIdle(driver, driven, options);
    if (known === null) return null;
  }
}

/** Waits until the driven run is idle: `signal` cancels it, `leave` releases it. */
export async function untilIdle(
  driver: Driver,
  driven: DrivenRun,
  { signal, leave }: RunOptions,
): Promise<KnownRun | null> {
  const cancel = () => {
    askToCancel(driver.engine, driven.id, cancelledBy(signal)).then(
      () => driven.poll(),
      (error) => driven.fail(error),
    );
  };
  const release = () => driven.leave();
  signal?.addEventListener("abort", cancel);
  leave?.addEventListener("abort", release);
  if (signal?.aborted) cancel();
  if (leave?.aborted) release();
  try {
    return await driven.over;
  } finally {
    signal?.removeEventListener("abort", cancel);
    leave?.removeEventListener("abort", release);
  }
}

function nameOf({ home }: Engine, run: string): string {
  return `${home.path}\n${run}`;
}
