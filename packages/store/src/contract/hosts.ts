/** The machines that use the home: their beats, what runs on them, and what their programs can do. */

import type { ProcessIdentity } from "@reprise/core/session/turn";

/** A machine or container that has the home open; see `beat`. */
export interface HostRecord {
  readonly id: string;
  /** The machine's name, for display. */
  readonly name: string;
  /** Grows while a process there has the home open. */
  readonly beat: number;
  /** By that process's own clock: for display, never compared with another clock to decide anything. */
  readonly at: number;
}

/** A slot for one of the scripts that may run at once on a host. */
export interface Slot {
  readonly id: string;
  readonly host: string;
  readonly at: number;
}

/** The home that uses a database. */
export interface StoreHome {
  /** A digest of the home's secret, so copies of its folder are the same home. */
  readonly id: string;
  /** The machine and the folder where it was opened first, for display. */
  readonly host: string;
  readonly path: string;
  readonly at: number;
}

export interface HostStore {
  /** The key for the digests that identify accounts in the pins of this store; null until one is recorded. */
  readSecret(): Promise<string | null>;
  /** Records the secret, unless there is one already; returns the recorded one. */
  recordSecret(record: { secret: string }): Promise<string>;
  /** Records that the home uses this store, unless a home is recorded already; returns the recorded one. */
  recordHome(home: StoreHome): Promise<StoreHome>;
  /** Records that a process on this host has the home open; its number grows with each beat. */
  beat(beat: Pick<HostRecord, "id" | "name" | "at">): Promise<void>;
  readHost(id: string): Promise<HostRecord | null>;
  /** The most recent beat first. */
  listHosts(): Promise<HostRecord[]>;
  /** Every process that owns an open turn or an active run, once. Only the engine's `hosts` judges whether one is gone. */
  listOwners(): Promise<ProcessIdentity[]>;
  /** Takes a slot for `id`; also true if it has one already. False if `max` slots of the host are taken. */
  takeSlot(slot: Slot & { max: number }): Promise<boolean>;
  freeSlot(id: string): Promise<void>;
  /** Oldest first. */
  listSlots(host: string): Promise<Slot[]>;
  /** What was found out about a program of a host; null if nothing was. `host` is the id in the file of the home. */
  readProbe(of: { host: string; binary: string }): Promise<unknown>;
  /** Replaces the earlier result. */
  writeProbe(probe: { host: string; binary: string; result: unknown; at: number }): Promise<void>;
}
