/** Kept sessions: copies of provider sessions that Reprise did not start, and the scans that made them. */

import type { DoneBy } from "./events.ts";

/** Whether a host keeps the sessions of its programs, and its last scan. */
export interface Protection {
  /** When it was turned on; null while it is off. */
  readonly onAt: number | null;
  readonly scannedAt: number | null;
  /** Files that the last scan could not read. */
  readonly unread: readonly UnreadFile[];
}

export interface UnreadFile {
  readonly path: string;
  readonly problem: string;
}

/**
 * `own`: a session of Reprise continues it, whose checkpoints have its files, so nothing is stored here. `forgotten`: its
 * copy was removed, and is not made again. `other`: a file without a session, so that it is not read again.
 */
export type KeptState = "kept" | "own" | "forgotten" | "other";

export interface KeptCopy {
  /** Follows from host, provider, place and id. */
  readonly kept: string;
  readonly host: string;
  readonly provider: string;
  /** The provider's home. */
  readonly place: string;
  /** The provider's own id. */
  readonly id: string;
  readonly state: KeptState;
  /** When its files were last written. */
  readonly usedAt: number;
  /** When its copy last changed. */
  readonly keptAt: number;
  /** When a scan first missed its files; null while they are there. */
  readonly goneAt: number | null;
  readonly folder: string | null;
  /** What it was asked first. */
  readonly prompt: string | null;
}

/** What is kept of a file, and how the file was when it was read. */
export interface KeptFile {
  /** Relative to the place. */
  readonly name: string;
  /** Grows whenever the file no longer begins with what was kept of it. */
  readonly generation: number;
  /** How much of it is kept. */
  readonly size: number;
  readonly foundSize: number;
  readonly modifiedAt: number;
  /** Digest of its beginning and end, by which the scan knows that the file was only appended to. */
  readonly fingerprint: string;
}

export interface KeptPart {
  readonly start: number;
  readonly size: number;
  readonly sha256: string;
}

export interface NewPart extends KeptPart {
  /** Null if `keepBytes` has stored them. */
  readonly bytes: Uint8Array | null;
}

export interface NewKeptFile extends KeptFile {
  /** What was kept before, as the scan saw it. Another scan may have changed it: then this file is left as it is. */
  readonly after: { readonly generation: number; readonly size: number } | null;
  /** From `after.size` on; in another generation, from 0. */
  readonly parts: readonly NewPart[];
}

export interface NewKept extends Omit<KeptCopy, "keptAt" | "goneAt"> {
  readonly files: readonly NewKeptFile[];
}

/** A file of a session in one place, for a scan to compare. */
export interface KnownFile extends KeptFile, Pick<KeptCopy, "kept" | "id" | "state" | "goneAt"> {}

export interface KeptCount {
  readonly provider: string;
  readonly place: string;
  readonly kept: number;
  readonly own: number;
  /** How many of `kept` are no longer in the provider's home. */
  readonly gone: number;
  /** How much space their copies take. */
  readonly bytes: number;
}

export interface KeptFiles {
  readonly session: KeptCopy;
  readonly files: readonly (KeptFile & { readonly content: readonly KeptPart[] })[];
}

export interface KeptStore {
  readProtection(host: string): Promise<Protection>;
  /** Repeating it changes nothing. */
  setProtection(set: { host: string; on: boolean; at: number } & DoneBy): Promise<void>;
  recordScan(scan: { host: string; unread: readonly UnreadFile[]; at: number }): Promise<void>;
  /** In the order of `kept` and name, after the last one of the page before. */
  listKnownFiles(query: {
    host: string;
    provider: string;
    place: string;
    after: { kept: string; name: string } | null;
    limit: number;
  }): Promise<KnownFile[]>;
  /** Stores parts of a file that is too large for one call of `keepSessions`, which must follow. */
  keepBytes(parts: readonly { sha256: string; bytes: Uint8Array }[]): Promise<void>;
  /**
   * Writes what changed in sessions, which are there again if they were gone. A new generation of a file keeps the one
   * before it. Equal bytes are stored once. A session that is `own` or `forgotten` loses its copy.
   */
  keepSessions(keep: { sessions: readonly NewKept[]; at: number }): Promise<void>;
  /** Records that the files of sessions are gone, or there again. A forgotten one that is gone is removed. */
  markKept(mark: { gone: readonly string[]; there: readonly string[]; at: number }): Promise<void>;
  countKept(host: string): Promise<KeptCount[]>;
  /** Those whose copy is stored: the ones that are `gone`, the last missed first, or those that are there, the last used last. */
  listKept(query: {
    host: string;
    /** Only those of this home of the provider. */
    of?: { provider: string; place: string };
    gone: boolean;
    /** Only those that were gone, or last used, before this time. */
    before?: number;
    limit: number;
  }): Promise<KeptCopy[]>;
  /** Sessions whose id begins with this, and whose copy is stored, the last used first. */
  findKept(query: { id: string; limit: number }): Promise<KeptCopy[]>;
  /** With the parts of the newest generation of each file, or of the one before it where there is one. */
  readKept(query: { kept: string; earlier: boolean }): Promise<KeptFiles | null>;
  /** No bytes if they cannot be read; their digest does not match then. */
  readKeptBytes(sha256: string): Promise<Uint8Array>;
  /** Removes the copy. While its files are there, the session is marked as forgotten. */
  forgetKept(forget: { kept: string; at: number } & DoneBy): Promise<void>;
}
