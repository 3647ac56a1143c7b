/** The bytes of checkpoints: stored once under their digest, compressed if that makes them smaller. */

import { promisify } from "node:util";
import { zstdCompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { CheckpointPart } from "../../contract/checkpoints.ts";
import type { Db } from "../db.ts";

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
export function* writeBlob(db: Db, { sha256, bytes, encoding, packed }: CheckpointPart & Packed) {
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
  for (const { sha256 } of removed)
    yield* db.run(
      `DELETE FROM blob WHERE sha256 = :sha256
         AND NOT EXISTS (SELECT 1 FROM checkpoint_part WHERE checkpoint_part.sha256 = blob.sha256)`,
      { sha256 },
    );
}
