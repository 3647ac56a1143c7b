/**
 * Checkpoints: copies of a provider session's files, kept as parts. A checkpoint has parts only for
 * the files that changed; a file is its newest part from byte 0 and the parts that follow it, each
 * put at its `start`.
 */

import type { CheckpointHead, CheckpointPart, NewCheckpoint } from "../store.ts";
import type { Db } from "./db.ts";
import type { HeldTurn } from "./held.ts";
import { fromJson } from "./json.ts";
import type { Verb } from "./verb.ts";

interface Place {
  readonly key: string;
  readonly agent: string;
  readonly handle: string;
}

export function selectCheckpointHead(db: Db, { key, agent, handle }: Place): CheckpointHead | null {
  const row = db.get<Omit<CheckpointHead, "files"> & { files: string }>(
    `SELECT number, version, agent, provider, handle, turn, files, at
     FROM checkpoint WHERE key = :key AND agent = :agent AND handle = :handle
     ORDER BY number DESC LIMIT 1`,
    { key, agent, handle },
  );
  return row ? { ...row, files: fromJson(row.files) } : null;
}

export const readCheckpoint: Verb<"readCheckpoint"> = (db, { key, agent, handle }) =>
  db.all<CheckpointPart>(
    `SELECT part.name, part.start, part.bytes, part.sha256, part.size, part.whole
     FROM checkpoint_part AS part
     JOIN (
       SELECT name, max(number) AS number FROM checkpoint_part
       WHERE key = :key AND agent = :agent AND handle = :handle AND start = 0
       GROUP BY name
     ) AS beginning ON beginning.name = part.name AND beginning.number <= part.number
     WHERE part.key = :key AND part.agent = :agent AND part.handle = :handle
     ORDER BY part.name, part.number`,
    { key, agent, handle },
  );

export function writeCheckpoint(
  db: Db,
  { id: turn, key, agent, provider }: HeldTurn,
  { version, handle, model, parts }: NewCheckpoint,
  at: number,
): void {
  const before = selectCheckpointHead(db, { key, agent, handle });
  const number = (before?.number ?? 0) + 1;
  const files = new Map(before?.files.map((file) => [file.name, file]));
  for (const { name, size, whole } of parts) files.set(name, { name, size, whole });

  db.run(
    `INSERT INTO checkpoint (key, agent, handle, number, version, provider, model, turn, at, files)
     VALUES (:key, :agent, :handle, :number, :version, :provider, :model, :turn, :at, :files)`,
    {
      key,
      agent,
      handle,
      number,
      version,
      provider,
      model,
      turn,
      at,
      files: JSON.stringify([...files.values()]),
    },
  );
  for (const { name, start, bytes, sha256, size, whole } of parts)
    db.run(
      `INSERT INTO checkpoint_part (key, agent, handle, name, number, start, size, whole, sha256,
         bytes)
       VALUES (:key, :agent, :handle, :name, :number, :start, :size, :whole, :sha256, :bytes)`,
      { key, agent, handle, name, number, start, size, whole, sha256, bytes },
    );
}
