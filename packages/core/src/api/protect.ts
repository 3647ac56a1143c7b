/** Kept sessions: copies of the provider sessions of this machine that Reprise did not start. */

export interface ScanProtect {
  /** Only the home of this agent's program; all homes unless given. */
  agent?: string | null | undefined;
  /** How many files may be read; all unless given. `remaining` says how many are left for another call. */
  limit?: number | undefined;
}

/** A file that could not be read, which did not stop the scan. */
export interface UnreadFileView {
  path: string;
  problem: string;
}

export interface ScanReport {
  /** Files with sessions in the homes. */
  found: number;
  /** Sessions that were not kept before. */
  added: number;
  /** Kept sessions whose files had changed. */
  changed: number;
  /** Kept sessions whose files are no longer there. */
  gone: number;
  /** Files that have changed and were not read, because of `limit`. */
  remaining: number;
  filesRead: number;
  bytesRead: number;
  unread: UnreadFileView[];
  /** In milliseconds. */
  took: number;
}

export interface SetProtect {
  on: boolean;
  /** Who turns it on or off, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
}

/** The sessions in one home of an agent's program. */
export interface ProtectedHome {
  provider: string;
  /** Path of the home. */
  place: string;
  /** Sessions that are kept. */
  kept: number;
  /** Sessions that a session of Reprise continues: its checkpoints have them. */
  own: number;
  /** Kept sessions whose files are no longer in the home. */
  gone: number;
  /** What the copies take in the database. */
  bytes: number;
  /** Milliseconds after their last use in which the program deletes sessions; null if it deletes none. */
  deletesAfter: number | null;
  /** The setting that says so. */
  why: string | null;
}

export interface ProtectStatus {
  /** When it was turned on, in milliseconds since 1970; null while it is off. */
  onAt: number | null;
  /** How often a server scans while it is on, in milliseconds. */
  every: number;
  /** When the last whole scan began. */
  scannedAt: number | null;
  /** How many files the last whole scan could not read. */
  unread: number;
  homes: ProtectedHome[];
}

export interface ListKept {
  /** `gone`: those whose files are no longer there, the last missed first. Otherwise those that expire, the next first. */
  gone?: boolean | undefined;
  /** How many; 20 unless given. */
  limit?: number | undefined;
}

export interface KeptSessionView {
  /** The provider's own id. */
  id: string;
  provider: string;
  /** The home that its files are in. */
  place: string;
  folder: string | null;
  /** What it was asked first, on one line. */
  prompt: string | null;
  /** When it was last used, in milliseconds since 1970. */
  usedAt: number;
  keptAt: number;
  /** When a scan first missed its files; null while they are there. */
  goneAt: number | null;
  /** When its program deletes it; null if it does not. */
  expiresAt: number | null;
  /** The setting that says so. */
  why: string | null;
}

export interface RestoreKept {
  /** The provider's own id, or the beginning of it. */
  id: string;
  /** Needed where two programs have a session with this id. */
  provider?: string | null | undefined;
  /** Replace files that are there and differ. They are kept aside. */
  force?: boolean | undefined;
  /** The copy from before its program last rewrote a file. */
  earlier?: boolean | undefined;
  /** Only report what would be written. */
  dryRun?: boolean | undefined;
  /** Who restores it, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
}

export interface RestoredFile {
  path: string;
  /** `same`: it is there, with at least what was kept. `replaced`: what was there is in `aside`. */
  action: "written" | "same" | "replaced";
}

export interface RestoredSession {
  id: string;
  provider: string;
  place: string;
  folder: string | null;
  prompt: string | null;
  files: RestoredFile[];
  /** Folder with the files that were replaced. */
  aside: string | null;
  /** False for a dry run, and if everything was there. */
  changed: boolean;
}

/** Copies of the provider sessions of this machine that Reprise did not start. */
export interface ProtectApi {
  /**
   * Turns the regular scans of a server on or off. Copies stay either way.
   * @throws DeniedError `inside-turn` in a process that an agent started.
   * @example
   * await reprise.protect.set({ on: true });
   */
  set(set: SetProtect): Promise<ProtectStatus>;
  /**
   * Reads the sessions in the homes of the agents' programs that are new or have changed, and keeps them. Writes nothing
   * into those homes.
   * @throws NotFoundError `no-agent`, UsageError `no-listing` for a provider whose sessions cannot be listed.
   * @example
   * const { added, changed, unread } = await reprise.protect.scan();
   */
  scan(scan?: ScanProtect): Promise<ScanReport>;
  /**
   * Counts what is kept on this machine, by home.
   * @example
   * const { homes, scannedAt } = await reprise.protect.status();
   */
  status(): Promise<ProtectStatus>;
  /**
   * Lists kept sessions: those that their program deletes next, or with `gone` those whose files are no longer there.
   * @example
   * for (const { id, prompt, goneAt } of await reprise.protect.list({ gone: true })) console.log(id, prompt, goneAt);
   */
  list(query?: ListKept): Promise<KeptSessionView[]>;
  /**
   * Writes the files of a kept session back to where they were, so that its program, and `sessions.adopt`, can continue it.
   * @throws NotFoundError `not-kept`, UsageError `ambiguous-id`, RefusedError `file-differs` when a file is there that
   * does not begin with what was kept, and `force` was not given.
   * @example
   * const { files } = await reprise.protect.restore({ id: "0f5b1c1e", dryRun: true });
   */
  restore(restore: RestoreKept): Promise<RestoredSession>;
  /**
   * Removes the copy of a kept session. While its files are there, it is not kept again.
   * @throws NotFoundError `not-kept`, UsageError `ambiguous-id`
   * @example
   * await reprise.protect.forget("0f5b1c1e");
   */
  forget(id: string, options?: { provider?: string; by?: string }): Promise<KeptSessionView>;
}
