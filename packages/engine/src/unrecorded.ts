/**
 * Turns and runs whose next step could not be recorded, because the disk is full or reports errors. This
 * process lets go of them: the mark here says so at once, and the store as soon as it can be written.
 * Without that they would belong for ever to a living process that does nothing for them.
 */

import { StoreError } from "@reprise/core/errors/errors";
import type { Engine } from "./engine.ts";

/** What this process owned, and the token that it owned it by. */
export interface Owned {
  readonly kind: "turn" | "run";
  readonly id: string;
  readonly token: number;
}

export interface Unrecorded extends Owned {
  readonly error: StoreError;
  /** In milliseconds of `engine.now()`. */
  readonly since: number;
}

interface Mark extends Unrecorded {
  retry: NodeJS.Timeout | null;
}

const firstPause = 250;
const maxPause = 5000;

/** Of the whole process, by home, kind and id: the store cannot tell two engines of one process apart. */
const marks = new Map<string, Mark>();

const fullCodes = ["ENOSPC", "EDQUOT", "EFBIG"];

/** The error as one of the store, when it says that the disk did not take something; else null. */
export function recordingFailure(error: unknown): StoreError | null {
  if (error instanceof StoreError) return error.code === "conflict" ? null : error;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (fullCodes.includes(code ?? ""))
      return new StoreError(
        "store-full",
        `The disk, a quota or a file-size limit is full (${message}).`,
        "Free some disk space and try again.",
        { cause: error },
      );
  }
  return null;
}

/**
 * Makes it nobody's, so that any process may continue it; never throws. While the store cannot be written,
 * this process tries again with longer and longer pauses, for as long as it lives.
 */
export async function letGo(engine: Engine, owned: Owned, error: StoreError | null): Promise<void> {
  const failed = await release(engine, owned);
  const failure = error ?? failed;
  if (failure === null) return;
  forget(engine, owned);
  const mark: Mark = { ...owned, error: failure, since: engine.now(), retry: null };
  marks.set(nameOf(engine, owned), mark);
  if (failed) releaseLater(engine, mark, firstPause);
}

/** The row still names this process, which has let go of it. */
export function isLetGo(engine: Engine, owned: Owned): boolean {
  return marks.get(nameOf(engine, owned))?.token === owned.token;
}

/** It has been recorded, or another process has it. */
export function forget(engine: Engine, { kind, id }: Pick<Owned, "kind" | "id">): void {
  const name = nameOf(engine, { kind, id });
  const mark = marks.get(name);
  if (mark?.retry) clearTimeout(mark.retry);
  marks.delete(name);
}

/** What this process could not record and that is still open. */
export async function listUnrecorded(engine: Engine): Promise<Unrecorded[]> {
  const open: Unrecorded[] = [];
  for (const [name, mark] of marks) {
    if (!name.startsWith(`${engine.home.path}\n`)) continue;
    if (await isOpen(engine, mark)) open.push(mark);
    else forget(engine, mark);
  }
  return open;
}

async function isOpen({ store }: Engine, { kind, id }: Owned): Promise<boolean> {
  const found = kind === "turn" ? await store.readTurn(id) : await store.readRun(id);
  return found !== null && found.endedAt === null;
}

/** Null when the store took it, or the token was no longer current. */
async function release({ store }: Engine, { kind, id, token }: Owned): Promise<StoreError | null> {
  try {
    if (kind === "turn") await store.takeOver({ turn: id, token, owner: null });
    else await store.takeRun({ run: id, token, owner: null });
    return null;
  } catch (error) {
    // After the store was closed there is nothing to write to: the process is about to end.
    return recordingFailure(error);
  }
}

function releaseLater(engine: Engine, mark: Mark, pause: number): void {
  mark.retry = setTimeout(async () => {
    mark.retry = null;
    const failed = await release(engine, mark);
    if (failed && isLetGo(engine, mark)) releaseLater(engine, mark, Math.min(2 * pause, maxPause));
  }, pause);
  mark.retry.unref();
}

function nameOf({ home }: Engine, { kind, id }: Pick<Owned, "kind" | "id">): string {
  return `${home.path}\n${kind}\n${id}`;
}
