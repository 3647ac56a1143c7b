/**
 * Turns and runs whose next step could not be recorded, because the disk is full or reports errors. This
 * process releases them: the mark here takes effect at once, and the store is updated as soon as it can be
 * written. Otherwise they would be owned for ever by a live process that does nothing for them.
 */

import { StoreError } from "@reprise/core/errors/errors";
import type { Engine } from "./engine.ts";

/** What this process owned, and its fencing token. */
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

/** By home, kind and id, for the whole process: the store cannot tell two engines of one process apart. */
const marks = new Map<string, Mark>();

const fullCodes = ["ENOSPC", "EDQUOT", "EFBIG"];

/** The error as a StoreError if it means that nothing could be written; otherwise null. */
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
 * Releases it, so that any process may continue it; never throws. While the store cannot be written, this
 * process retries with growing pauses for as long as it lives.
 */
export async function release(
  engine: Engine,
  owned: Owned,
  error: StoreError | null,
): Promise<void> {
  const failed = await tryRelease(engine, owned);
  const failure = error ?? failed;
  if (failure === null) return;
  forget(engine, owned);
  const mark: Mark = { ...owned, error: failure, since: engine.now(), retry: null };
  marks.set(nameOf(engine, owned), mark);
  if (failed) releaseLater(engine, mark, firstPause);
}

/** The row still names this process, but it has released it. */
export function isReleased(engine: Engine, owned: Owned): boolean {
  return marks.get(nameOf(engine, owned))?.token === owned.token;
}

/** Something of this home that this process released may still name it as its owner. */
export function hasReleased({ home }: Engine): boolean {
  return marks.keys().some((name) => name.startsWith(`${home.path}\n`));
}

/** It was recorded, or another process owns it. */
export function forget(engine: Engine, { kind, id }: Pick<Owned, "kind" | "id">): void {
  const name = nameOf(engine, { kind, id });
  const mark = marks.get(name);
  if (mark?.retry) clearTimeout(mark.retry);
  marks.delete(name);
}

/** The turns and runs that this process could not record and that are still open. */
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

/** Null if it was written, or the token was no longer current. */
async function tryRelease(
  { store }: Engine,
  { kind, id, token }: Owned,
): Promise<StoreError | null> {
  try {
    if (kind === "turn") await store.takeOver({ turn: id, token, owner: null });
    else await store.takeRun({ run: id, token, owner: null });
    return null;
  } catch (error) {
    // After the store is closed nothing can be written, and the process is about to end.
    return recordingFailure(error);
  }
}

function releaseLater(engine: Engine, mark: Mark, pause: number): void {
  mark.retry = setTimeout(async () => {
    mark.retry = null;
    const failed = await tryRelease(engine, mark);
    if (failed && isReleased(engine, mark))
      releaseLater(engine, mark, Math.min(2 * pause, maxPause));
  }, pause);
  mark.retry.unref();
}

function nameOf({ home }: Engine, { kind, id }: Pick<Owned, "kind" | "id">): string {
  return `${home.path}\n${kind}\n${id}`;
}
