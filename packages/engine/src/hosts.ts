/**
 * Decides whether the owner of a turn or run is gone. A process that can be seen from here is alive or gone.
 * A process on another machine or in another pid namespace, such as in a recreated container, cannot be seen:
 * it counts as silent once this process has watched its place without a beat for so long that a live process
 * would have written several.
 */

import { hash } from "node:crypto";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import { isSame } from "@reprise/providers/launch/process";
import type { HostRecord } from "@reprise/store/contract/hosts";
import type { Store } from "@reprise/store/store";
import type { Engine } from "./engine.ts";
import { isAlive, seen } from "./owner.ts";
import { hasReleased } from "./unrecorded.ts";

/** `silent`: it cannot be seen and has shown no sign of life for long. */
export type OwnerState = "lives" | "gone" | "silent";

/** How long there must be no beat, in milliseconds of the engine's clock. */
export const silence = 15_000;
const beatEvery = 5000;

interface Watched {
  readonly beat: number | null;
  readonly since: number;
}

export interface HostsOptions {
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
