/**
 * Decides whether the owner of a turn or run is gone. A process that can be seen from here is alive or gone.
 * A process on another machine or in another pid namespace, such as in a recreated container, cannot be seen:
 * it counts as silent once this process has watched its place without a beat for so long that a live process
 * would have written several.
 */

import { hash } from "node:crypto";
import { StoreError } from "@reprise/core/errors/errors";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import {
  isSame,
  isStopped as isStoppedProcess,
  type Presence,
  presence,
  self,
} from "@reprise/providers/launch/process";
import type { HostRecord } from "@reprise/store/contract/hosts";
import type { Store } from "@reprise/store/store";
import type { Engine } from "./engine.ts";

/** `silent`: it cannot be seen and has shown no sign of life for long. */
type OwnerState = "lives" | "gone" | "silent";

/** How long there must be no beat, in milliseconds of the engine's clock. */
const silence = 15_000;
const beatEvery = 5000;

interface Watched {
  readonly beat: number | null;
  readonly since: number;
}

interface HostsOptions {
  readonly store: Pick<Store, "beat" | "readHost" | "listHosts">;
  readonly owner: ProcessIdentity;
  readonly now: () => number;
}

export class Hosts {
  readonly #options: HostsOptions;
  readonly #seen = new Map<string, Watched>();
  readonly #timer: NodeJS.Timeout;

  /** Short commands end before the first beat and write none. */
  constructor(options: HostsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.beat(), beatEvery);
    this.#timer.unref();
  }

  /** The machine or container of this process. */
  get place(): string {
    return placeOf(this.#options.owner);
  }

  /** Records that this place is in use; a beat that cannot be written is skipped. */
  async beat(): Promise<void> {
    const { store, owner, now } = this.#options;
    const place = { id: placeOf(owner), name: owner.host, at: now() };
    await store.beat(place).catch(() => {});
  }

  async state(owner: ProcessIdentity): Promise<OwnerState> {
    const presence = seen(owner);
    if (presence !== "unseen") return presence;
    const { store, now } = this.#options;
    const place = placeOf(owner);
    const beat = (await store.readHost(place))?.beat ?? null;
    const watched = this.#seen.get(place);
    if (watched === undefined || watched.beat !== beat || watched.since > now()) {
      this.#seen.set(place, { beat, since: now() });
      return "lives";
    }
    return now() - watched.since >= silence ? "silent" : "lives";
  }

  /** Whether it is certainly gone, without waiting; a silent owner is not. */
  isGone(owner: ProcessIdentity): boolean {
    return !isAlive(owner);
  }

  /** Other places where the home is open. */
  async others(): Promise<HostRecord[]> {
    const { store, owner, now } = this.#options;
    const own = placeOf(owner);
    return (await store.listHosts()).filter(
      ({ id, at }) => id !== own && Math.abs(now() - at) < silence,
    );
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/**
 * The owners of open turns and active runs that do not live, as far as can be seen from here. This process is one
 * of them if it could not record that it released something.
 */
export async function absentOwners(engine: Engine): Promise<ProcessIdentity[]> {
  const absent: ProcessIdentity[] = [];
  for (const owner of await engine.store.listOwners()) {
    const isAbsent = isSame(owner, engine.owner)
      ? hasReleased(engine)
      : (await engine.hosts.state(owner)) !== "lives";
    if (isAbsent) absent.push(owner);
  }
  return absent;
}

/** Equal for all processes of one host, machine, boot and pid namespace. */
function placeOf({ host, hostId, machine, boot, namespace }: ProcessIdentity): string {
  const parts = [hostId ?? "", machine ?? host, boot, namespace ?? ""];
  return hash("sha256", parts.join("\n"), "hex").slice(0, 24);
}

/**
 * What can be seen of an owner from here, without a store: the only place that asks the process table about owners.
 * Whether an owner that cannot be seen is gone is decided by `hosts.ts`.
 */
export function ownIdentity(): ProcessIdentity {
  return self();
}

/** `unseen`: on another machine or in another pid namespace. */
export function seen(owner: ProcessIdentity): Presence {
  return presence(owner);
}

/** False for a recycled pid or a zombie; a process that cannot be seen from here counts as alive. */
export function isAlive(owner: ProcessIdentity): boolean {
  return seen(owner) !== "gone";
}

/** False for a process on another machine or in another pid namespace. */
export function canSee(owner: ProcessIdentity): boolean {
  return seen(owner) !== "unseen";
}

/** Whether it is alive on this machine and stopped, for example by Ctrl-Z. */
export function isStopped(owner: ProcessIdentity): boolean {
  return isStoppedProcess(owner);
}

// Turns and runs whose next step could not be recorded, because the disk is full or reports errors. This
// process releases them: the mark here takes effect at once, and the store is updated as soon as it can be
// written. Otherwise they would be owned for ever by a live process that does nothing for them.

/** What this process owned, and its fencing token. */
interface Owned {
  readonly kind: "turn" | "run";
  readonly id: string;
  readonly token: number;
}

interface Unrecorded extends Owned {
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
function hasReleased({ home }: Engine): boolean {
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
