/**
 * Marks a run as cancelled when the store cannot be written: a symbolic link in the home, which needs no
 * space on a full disk. The process that continues the run records the cancellation first.
 */

import { mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "@reprise/core/errors/errors";
import { currentTurn } from "@reprise/workflow/run/place";
import type { Engine } from "../engine.ts";
import { askToCancel } from "./ask-to-cancel.ts";
import { readRunState } from "./read-state.ts";
import { spoolOf } from "./work/shell.ts";

const unnamed = "-";
const pollInterval = 500;

/** Ends everything that the run has running, and leaves a mark. Returns the error for the caller. */
export async function cancelUnrecorded(
  engine: Engine,
  run: string,
  by: string | null,
  { code, message }: StoreError,
): Promise<StoreError> {
  mark(engine, run, by);
  const { state } = await readRunState(engine, run);
  for (const id of state.active) {
    const execution = state.executions.get(id);
    if (execution === undefined) continue;
    const spool = spoolOf({ run, execution: id, attempt: execution.attempt });
    const turn = currentTurn(execution);
    if (turn !== null) await engine.launcher.cancel(turn, engine.settings.endGrace, by);
    await engine.launcher.end(spool, engine.settings.endGrace);
  }
  recordLater(engine, run);
  return new StoreError(
    code,
    `The processes of run ${run} were ended, but the cancellation cannot be recorded. ${message}`,
    "Free some disk space: then a running server, or the next command that continues the run, records it.",
  );
}

/** Records a marked cancellation and removes the mark. */
export async function recordCancelMark(engine: Engine, run: string): Promise<void> {
  const by = readMark(engine, run);
  if (by === undefined) return;
  await askToCancel(engine, run, by);
  rmSync(markOf(engine, run), { force: true });
}

function mark(engine: Engine, run: string, by: string | null): void {
  mkdirSync(join(engine.home.path, "cancelled"), { recursive: true, mode: 0o700 });
  if (readMark(engine, run) === undefined) symlinkSync(by || unnamed, markOf(engine, run));
}

/** Retries for as long as this process lives. */
function recordLater(engine: Engine, run: string): void {
  setTimeout(() => {
    recordCancelMark(engine, run).catch((error) => {
      if (error instanceof StoreError) recordLater(engine, run);
    });
  }, pollInterval).unref();
}

/** Undefined if there is no mark. */
function readMark(engine: Engine, run: string): string | null | undefined {
  try {
    const by = readlinkSync(markOf(engine, run));
    return by === unnamed ? null : by;
  } catch {
    return undefined;
  }
}

function markOf({ home }: Engine, run: string): string {
  return join(home.path, "cancelled", run);
}
