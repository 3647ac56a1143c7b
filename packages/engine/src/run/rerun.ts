/** `rerun`: runs the same run again, from what failed, from a node, or from its start. */

import { parse } from "@reprise/core/api/parse";
import type { Rerun, RunDetail, RunOptions, StartOptions } from "@reprise/core/api/reprise";
import { rerunSchema } from "@reprise/core/api/run-schemas";
import { BusyError, StoreError, TerminalError, UsageError } from "@reprise/core/errors/errors";
import { option, verb } from "@reprise/core/errors/hint";
import { suggest } from "@reprise/core/errors/suggestion";
import type { RunEvent } from "@reprise/workflow/run/event";
import type { RunStatus } from "@reprise/workflow/run/state";
import { driveRun } from "./drive-run.ts";
import { type Driver, isUnowned } from "./driver.ts";
import { findRun } from "./find-run.ts";
import { readRunState } from "./read-state.ts";
import { toStored } from "./stream.ts";

type From = Extract<RunEvent, { type: "run.rerun" }>["from"];

export async function rerun(
  driver: Driver,
  input: Rerun,
  options: RunOptions & StartOptions = {},
): Promise<RunDetail> {
  const { store, now } = driver.engine;
  const wanted = parse(rerunSchema(), input);
  const run = await findRun(driver.engine, wanted.run);
  const { id, status } = run;
  const isLeft = status === "running" && isUnowned(driver, run);
  // Nothing failed: the run only lost its owner and has to continue.
  if (isLeft && wanted.from == null && !wanted.fromStart) return driveRun(driver, id, options);
  const from = await beginning(driver, id, wanted);
  const ifStatus = reruns(from);
  if (!ifStatus.includes(status)) throw notNow(id, isLeft ? "left" : status);
  const by = wanted.by ?? null;
  const within = wanted.within ?? driver.engine.within;
  await store
    .signalRun({
      run: id,
      event: toStored({ type: "run.rerun", from, by, ...(within !== null && { within }) }),
      status: "running",
      ifStatus,
      at: now(),
    })
    .catch((error) => {
      if (error instanceof StoreError && error.code === "conflict") throw notNow(id, "running");
      throw error;
    });
  return driveRun(driver, id, options);
}

async function beginning(
  driver: Driver,
  run: string,
  { from, fromStart }: { from?: string | null | undefined; fromStart: boolean },
): Promise<From> {
  if (from != null && fromStart)
    throw new UsageError(
      "bad-input",
      "A rerun starts either at a node or at the beginning.",
      `Give either ${option("from")} or ${option("fromStart")}.`,
    );
  if (from == null) return { what: fromStart ? "start" : "failed" };
  const { graph } = (await readRunState(driver.engine, run)).loaded;
  const ids = graph.nodes.map(({ id }) => id);
  if (ids.includes(from)) return { what: "node", node: from };
  throw new UsageError("unknown-node", `Run ${run} has no node "${from}".`, suggest(from, ids));
}

/** A run that is done has no failure to rerun from. */
function reruns({ what }: From): readonly RunStatus[] {
  const unfinished: readonly RunStatus[] = ["failed", "rejected", "cancelled"];
  return what === "failed" ? unfinished : [...unfinished, "done"];
}

/** `left`: running, but without an owner. */
function notNow(run: string, status: RunStatus | "left"): TerminalError | BusyError {
  if (status === "done")
    return new TerminalError(
      "nothing-failed",
      `Run ${run} is done: no node failed.`,
      `Run it again with ${option("from")} or ${option("fromStart")}.`,
    );
  const instead =
    status === "waiting" || status === "stuck"
      ? "Answer what it waits for"
      : status === "left"
        ? `Continue it with ${verb("runs.rerun", { run })}`
        : "Wait until it ends";
  return new BusyError(
    "run-not-ended",
    `Run ${run} is ${status === "left" ? "running" : status}.`,
    `${instead}, or cancel it first.`,
  );
}
