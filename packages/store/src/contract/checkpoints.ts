/** Checkpoints: copies of the files of provider sessions. */

import type { PinProgress } from "@reprise/core/session/pin";

export interface CheckpointHead {
  readonly number: number;
  readonly version: number;
  readonly agent: string;
  readonly provider: string;
  readonly handle: string;
  readonly model: string | null;
  readonly turn: string;
  /** The progress of the pin; null for a checkpoint from before this was stored. */
  readonly standing: PinProgress | null;
  /** Empty if they can no longer be read. */
  readonly files: readonly CheckpointFile[];
  readonly at: number;
}

/** A file of a checkpoint: its size and the digest of the whole file. */
export interface CheckpointFile {
  readonly name: string;
  readonly size: number;
  readonly whole: string;
  /** The size of its newest part that begins at 0; 0 if unknown. */
  readonly snapshot: number;
}

/** Checkpoints of one provider session, newest first, and their parts, oldest first for every file. */
export interface KeptCheckpoints {
  readonly heads: readonly CheckpointHead[];
  readonly parts: readonly CheckpointPart[];
}

/** A part of one file: its bytes from `start`; `size` and `whole` (digest) describe the file it completes. */
export interface CheckpointPart {
  readonly name: string;
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly size: number;
  readonly whole: string;
}

export interface NewCheckpoint {
  readonly version: number;
  readonly handle: string;
  readonly model: string | null;
  readonly standing: PinProgress;
  readonly parts: readonly CheckpointPart[];
}

export interface CheckpointStore {
  /**
   * The checkpoints of a provider session; if the agent has none, those of another agent under the same key.
   * Equal bytes are stored once. For every file, the last two parts that start at 0 and all parts after them
   * are kept. The first checkpoint of another handle removes those of earlier handles. A part that cannot be
   * read has no bytes, so its digest does not match.
   */
  readCheckpoints(of: { key: string; agent: string; handle: string }): Promise<KeptCheckpoints>;
}
