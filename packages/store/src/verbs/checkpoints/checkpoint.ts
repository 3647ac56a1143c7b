/**
 * Checkpoints: copies of a provider session's files, stored as parts. A checkpoint has parts only for the
 * files that changed; a file is a part from byte 0 and the parts that follow it, each at its `start`. The
 * bytes are stored as blobs.
 */

import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { CheckpointHead, CheckpointPart, NewCheckpoint } from "../../contract/checkpoints.ts";
import type { Db, Query } from "../db.ts";
import type { ClaimedTurnRow } from "../turns/record-turn.ts";
import type { Verb } from "../verb.ts";

interface Place {
  readonly key: string;
  readonly agent: string;
  readonly handle: string;
}

interface PackedCheckpoint extends Omit<NewCheckpoint, "parts"> {
  readonly parts: readonly (CheckpointPart & Packed)[];
}

/** The input of a verb that may write a checkpoint. */
export type WithPacked<Input> = Input & { readonly checkpoint?: PackedCheckpoint | null };

export async function withPacked<Input extends { readonly checkpoint?: NewCheckpoint | null }>(
  input: Input,
): Promise<WithPacked<Input>> {
  const { checkpoint = null } = input;
  const parts = await Promise.all(
    (checkpoint?.parts ?? []).map(async (part) => ({ ...part, ...(await pack(part.bytes)) })),
  );
  return { ...input, checkpoint: checkpoint && { ...checkpoint, parts } };
}

/** The newest checkpoint of the handle that continues (key, agent). */
export function* selectPinnedCheckpoint(
  db: Db,
  { key, agent }: Omit<Place, "handle">,
): Query<CheckpointHead | null> {
  return (yield* selectHeads(db, { key, agent, handle: null }, 1))[0] ?? null;
}

export const readCheckpoints: Verb<"readCheckpoints"> = function* (db, { key, agent, handle }) {
  const place = { key, agent, handle };
  const parts = yield* db.all<Omit<CheckpointPart, "bytes"> & Packed & { length: number | null }>(
    `SELECT part.name, part.start, part.sha256, part.size, part.whole, blob.size AS length,
       blob.encoding, blob.bytes AS packed
     FROM checkpoint_part AS part LEFT JOIN blob ON blob.sha256 = part.sha256
     WHERE part.key = :key AND part.agent = :agent AND part.handle = :handle
     ORDER BY part.name, part.number`,
    place,
  );
  return {
    heads: yield* selectHeads(db, place, Number.MAX_SAFE_INTEGER),
    parts: parts.map(({ encoding, packed, length, ...part }) => ({
      ...part,
      bytes: length === null ? new Uint8Array() : unpack({ encoding, packed }, length),
    })),
  };
};

interface HeadRow extends Omit<CheckpointHead, "files" | "standing"> {
  readonly files: string;
  readonly standing: string | null;
}

const headColumns = "number, version, agent, provider, handle, model, turn, standing, files, at";
const ofPlace = "key = :key AND agent = :agent AND handle = :handle";

/**
 * The agent's own checkpoints of a handle, or of the one that its pin names; if it has none, those of other agents,
 * which the caller reports.
 */
function* selectHeads(
  db: Db,
  { key, agent, handle }: Omit<Place, "handle"> & { readonly handle: string | null },
  limit: number,
): Query<CheckpointHead[]> {
  const named =
    handle === null ? "(SELECT handle FROM pin WHERE key = :key AND agent = :agent)" : ":handle";
  const rows = (where: string) =>
    db.all<HeadRow>(
      `SELECT ${headColumns} FROM checkpoint WHERE ${where} ORDER BY number DESC LIMIT :limit`,
      { key, agent, handle, limit },
    );
  const own = yield* rows(`key = :key AND agent = :agent AND handle = ${named}`);
  const found = own.length > 0 ? own : yield* rows(`key = :key AND handle = ${named}`);
  return found.map(headFrom);
}

/** A row that cannot be read is a checkpoint without files, not an error. */
function headFrom({ files, standing, ...row }: HeadRow): CheckpointHead {
  try {
    const parsed = JSON.parse(files) as CheckpointHead["files"];
    return {
      ...row,
      files: parsed.map((file) => ({ ...file, snapshot: file.snapshot ?? 0 })),
      standing: standing === null ? null : JSON.parse(standing),
    };
  } catch {
    return { ...row, files: [], standing: null };
  }
}

/** The newest checkpoint of the handle for the turn's key and agent. */
export function* newestCheckpoint(
  db: Db,
  turn: string,
  { handle }: Pick<NewCheckpoint, "handle">,
): Query<CheckpointHead | null> {
  const row = yield* db.get<HeadRow>(
    `SELECT ${headColumns} FROM checkpoint
     WHERE (key, agent) = (SELECT key, agent FROM turn WHERE id = :turn) AND handle = :handle
     ORDER BY number DESC LIMIT 1`,
    { turn, handle },
  );
  return row ? headFrom(row) : null;
}

/** `newest`: the one before, in the same place. */
export function* writeCheckpoint(
  db: Db,
  { id: turn, key, agent, provider }: Pick<ClaimedTurnRow, "id" | "key" | "agent" | "provider">,
  {
    checkpoint: { version, handle, model, standing, parts },
    newest: before,
    at,
  }: {
    readonly checkpoint: PackedCheckpoint;
    readonly newest: CheckpointHead | null;
    readonly at: number;
  },
): Query<void> {
  const place = { key, agent, handle };
  const files = new Map(before?.files.map((file) => [file.name, file]));
  // A repeated call must not begin a second chain.
  const added = parts.filter(
    ({ name, size, whole }) => files.get(name)?.size !== size || files.get(name)?.whole !== whole,
  );
  if (added.length === 0) return;
  const number = (before?.number ?? 0) + 1;
  for (const { name, start, size, whole } of added)
    files.set(name, {
      name,
      size,
      whole,
      snapshot: start === 0 ? size : (files.get(name)?.snapshot ?? 0),
    });

  yield* db.run(
    `INSERT INTO checkpoint (key, agent, handle, number, version, provider, model, turn, at, files,
       standing)
     VALUES (:key, :agent, :handle, :number, :version, :provider, :model, :turn, :at, :files,
       :standing)`,
    {
      ...place,
      number,
      version,
      provider,
      model,
      turn,
      at,
      files: JSON.stringify([...files.values()]),
      standing: JSON.stringify(standing),
    },
  );
  for (const part of added) {
    const { name, start, sha256, size, whole } = part;
    yield* writeBlob(db, part);
    yield* db.run(
      `INSERT INTO checkpoint_part (key, agent, handle, number, name, start, size, whole, sha256)
       VALUES (:key, :agent, :handle, :number, :name, :start, :size, :whole, :sha256)`,
      { ...place, number, name, start, size, whole, sha256 },
    );
    if (start === 0) yield* removeSuperseded(db, place, name, number);
  }
  if (number === 1) yield* removeOtherHandles(db, place);
}

/** Keeps the snapshot before the newest one, and what follows it, in case the newest is damaged. */
function* removeSuperseded(db: Db, place: Place, name: string, number: number): Query<void> {
  const ofFile = `${ofPlace} AND name = :name`;
  const previous = yield* db.get<{ number: number }>(
    `SELECT number FROM checkpoint_part WHERE ${ofFile} AND start = 0 AND number < :number
     ORDER BY number DESC LIMIT 1`,
    { ...place, name, number },
  );
  if (previous)
    yield* removeParts(db, `${ofFile} AND number < :previous`, {
      ...place,
      name,
      previous: previous.number,
    });
}

/** A replaced provider session is never continued again. */
function* removeOtherHandles(db: Db, place: Place): Query<void> {
  const others = "key = :key AND agent = :agent AND handle <> :handle";
  yield* removeParts(db, others, { ...place });
  yield* db.run(`DELETE FROM checkpoint WHERE ${others}`, { ...place });
}

// The bytes of checkpoints: stored once under their digest, compressed if that makes them smaller.

export interface Packed {
  readonly encoding: "plain" | "zstd";
  readonly packed: Uint8Array;
}

/** Compresses large bytes in another thread, so that the event loop stays free. */
export async function pack(bytes: Uint8Array): Promise<Packed> {
  const packed =
    bytes.length < large ? zstdCompressSync(bytes) : await promisify(zstdCompress)(bytes);
  return packed.length < bytes.length
    ? { encoding: "zstd", packed }
    : { encoding: "plain", packed: bytes };
}

/** Compressing fewer bytes takes less than a millisecond. */
const large = 256 * 1024;

/** Returns no bytes if they cannot be unpacked; the digest check then finds the damage. */
export function unpack({ encoding, packed }: Packed, size: number): Uint8Array {
  if (encoding === "plain") return packed;
  try {
    return new Uint8Array(zstdDecompressSync(packed, { maxOutputLength: size }));
  } catch {
    return new Uint8Array();
  }
}

/** Overwrites an existing blob, because it may be damaged and these bytes are not. */
export function* writeBlob(
  db: Db,
  { sha256, bytes, encoding, packed }: Pick<CheckpointPart, "sha256" | "bytes"> & Packed,
) {
  yield* db.run(
    `INSERT INTO blob (sha256, size, encoding, bytes) VALUES (:sha256, :size, :encoding, :packed)
     ON CONFLICT (sha256) DO UPDATE
     SET size = excluded.size, encoding = excluded.encoding, bytes = excluded.bytes`,
    { sha256, size: bytes.length, encoding, packed },
  );
}

/** Removes the checkpoint parts that match `where`, and the blobs that no other part uses. */
export function* removeParts(db: Db, where: string, parameters: Record<string, string | number>) {
  const removed = yield* db.all<{ sha256: string }>(
    `DELETE FROM checkpoint_part WHERE ${where} RETURNING sha256`,
    parameters,
  );
  yield* dropUnused(db, removed);
}

/** Removes those of the blobs that no part of a checkpoint or of a kept session uses any more. */
export function* dropUnused(db: Db, blobs: readonly { readonly sha256: string }[]): Query<void> {
  for (const { sha256 } of blobs)
    yield* db.run(
      `DELETE FROM blob WHERE sha256 = :sha256
         AND NOT EXISTS (SELECT 1 FROM checkpoint_part WHERE checkpoint_part.sha256 = blob.sha256)
         AND NOT EXISTS (SELECT 1 FROM kept_part WHERE kept_part.sha256 = blob.sha256)`,
      { sha256 },
    );
}
