/** The verbs of kept sessions: what a scan compares, writes and misses. */

import type {
  KeptCopy,
  KeptFile,
  KeptPart,
  KnownFile,
  NewKept,
  NewKeptFile,
  NewPart,
  UnreadFile,
} from "../../contract/kept.ts";
import { dropUnused, type Packed, pack, unpack, writeBlob } from "../checkpoints/checkpoint.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent, doneBy } from "../events/events.ts";
import { fromJson, lockName } from "../row.ts";
import type { Verb } from "../verb.ts";

// Whether a host keeps its sessions.

interface ProtectionRow {
  readonly onAt: number | null;
  readonly scannedAt: number | null;
  readonly unread: string;
}

export const readProtection: Verb<"readProtection"> = function* (db, host) {
  const row = yield* selectProtection(db, host);
  return row
    ? { ...row, unread: fromJson<UnreadFile[]>(row.unread) }
    : { onAt: null, scannedAt: null, unread: [] };
};

function selectProtection(db: Db, host: string): Query<ProtectionRow | undefined> {
  return db.get<ProtectionRow>(
    `SELECT on_at AS "onAt", scanned_at AS "scannedAt", unread FROM protection WHERE host = :host`,
    { host },
  );
}

export const setProtection: Verb<"setProtection"> = function* (db, { host, on, at, by }) {
  yield* lockName(db, `protection:${host}`);
  const before = yield* selectProtection(db, host);
  if ((before?.onAt != null) === on) return;
  yield* db.run(
    `INSERT INTO protection (host, on_at, scanned_at, unread) VALUES (:host, :onAt, NULL, '[]')
     ON CONFLICT (host) DO UPDATE SET on_at = excluded.on_at`,
    { host, onAt: on ? at : null },
  );
  const type = on ? "protection.on" : "protection.off";
  yield* appendEvent(db, `protection:${host}`, { type, data: doneBy({ by }) }, at);
};

export const recordScan: Verb<"recordScan"> = function* (db, { host, unread, at }) {
  yield* db.run(
    `INSERT INTO protection (host, on_at, scanned_at, unread) VALUES (:host, NULL, :at, :unread)
     ON CONFLICT (host) DO UPDATE SET scanned_at = excluded.scanned_at, unread = excluded.unread`,
    { host, at, unread: JSON.stringify(unread) },
  );
};

// What a scan compares the files with.

const fileColumns = `file.name, file.generation, file.size, file.found_size AS "foundSize",
  file.modified_at AS "modifiedAt", file.fingerprint`;

export const listKnownFiles: Verb<"listKnownFiles"> = function* (
  db,
  { host, provider, place, after, limit },
) {
  return yield* db.all<KnownFile>(
    `SELECT session.kept, session.id, session.state, session.gone_at AS "goneAt", ${fileColumns}
     FROM kept_session AS session JOIN kept_file AS file ON file.kept = session.kept
     WHERE session.host = :host AND session.provider = :provider AND session.place = :place
       AND (session.kept, file.name) > (:kept, :name)
     ORDER BY session.kept, file.name LIMIT :limit`,
    { host, provider, place, kept: after?.kept ?? "", name: after?.name ?? "", limit },
  );
};

// What a scan writes.

type PackedPart = NewPart & { readonly packed: Packed | null };
type PackedKept = Omit<NewKept, "files"> & {
  readonly files: readonly (Omit<NewKeptFile, "parts"> & {
    readonly parts: readonly PackedPart[];
  })[];
};

export async function withPackedParts<Input extends { readonly sessions: readonly NewKept[] }>(
  input: Input,
): Promise<Input & { readonly sessions: readonly PackedKept[] }> {
  const packedPart = async (part: NewPart) => ({
    ...part,
    packed: part.bytes && (await pack(part.bytes)),
  });
  const sessions = await Promise.all(
    input.sessions.map(async (session) => ({
      ...session,
      files: await Promise.all(
        session.files.map(async (file) => ({
          ...file,
          parts: await Promise.all(file.parts.map(packedPart)),
        })),
      ),
    })),
  );
  return { ...input, sessions };
}

export async function packAll(
  parts: Parameters<Verb<"keepBytes">>[1],
): Promise<readonly { sha256: string; bytes: Uint8Array; packed: Packed }[]> {
  return Promise.all(parts.map(async (part) => ({ ...part, packed: await pack(part.bytes) })));
}

export function* keepBytes(db: Db, parts: Awaited<ReturnType<typeof packAll>>): Query<void> {
  for (const { sha256, bytes, packed } of parts) yield* writeBlob(db, { sha256, bytes, ...packed });
}

export function* keepSessions(
  db: Db,
  { sessions, at }: { readonly sessions: readonly PackedKept[]; readonly at: number },
): Query<void> {
  for (const session of sessions) yield* keepSession(db, session, at);
}

function* keepSession(db: Db, { files, ...session }: PackedKept, at: number): Query<void> {
  const { kept, state } = session;
  yield* lockName(db, `kept:${kept}`);
  yield* db.run(
    `INSERT INTO kept_session (kept, host, provider, place, id, state, used_at, kept_at, gone_at, folder, prompt)
     VALUES (:kept, :host, :provider, :place, :id, :state, :usedAt, :at, NULL, :folder, :prompt)
     ON CONFLICT (kept) DO UPDATE SET state = excluded.state, used_at = excluded.used_at,
       kept_at = excluded.kept_at, gone_at = NULL, folder = excluded.folder, prompt = excluded.prompt`,
    { ...session, at },
  );
  if (state !== "kept") yield* removeKeptParts(db, "kept = :kept", { kept });
  for (const file of files) yield* keepFile(db, kept, file);
}

function* keepFile(
  db: Db,
  kept: string,
  { name, after, parts, generation, size, ...found }: PackedKept["files"][number],
): Query<void> {
  const place = { kept, name };
  const before = yield* db.get<Pick<KeptFile, "generation" | "size">>(
    "SELECT generation, size FROM kept_file WHERE kept = :kept AND name = :name",
    place,
  );
  if (before?.generation !== after?.generation || before?.size !== after?.size) return;
  for (const { start, size: length, sha256, bytes, packed } of parts) {
    if (bytes && packed) yield* writeBlob(db, { sha256, bytes, ...packed });
    yield* db.run(
      `INSERT INTO kept_part (kept, name, generation, start, size, stored, sha256)
       VALUES (:kept, :name, :generation, :start, :length,
         (SELECT length(bytes) FROM blob WHERE sha256 = :sha256), :sha256)`,
      { ...place, generation, start, length, sha256 },
    );
  }
  yield* db.run(
    `INSERT INTO kept_file (kept, name, generation, size, found_size, modified_at, fingerprint)
     VALUES (:kept, :name, :generation, :size, :foundSize, :modifiedAt, :fingerprint)
     ON CONFLICT (kept, name) DO UPDATE SET generation = excluded.generation, size = excluded.size,
       found_size = excluded.found_size, modified_at = excluded.modified_at,
       fingerprint = excluded.fingerprint`,
    { ...place, generation, size, ...found },
  );
  if (before && generation > before.generation)
    yield* removeKeptParts(db, "kept = :kept AND name = :name AND generation < :previous", {
      ...place,
      previous: before.generation,
    });
}

function* removeKeptParts(
  db: Db,
  where: string,
  parameters: Record<string, string | number>,
): Query<void> {
  const removed = yield* db.all<{ sha256: string }>(
    `DELETE FROM kept_part WHERE ${where} RETURNING sha256`,
    parameters,
  );
  yield* dropUnused(db, removed);
}

export const markKept: Verb<"markKept"> = function* (db, { gone, there, at }) {
  for (const kept of gone) {
    yield* db.run("DELETE FROM kept_session WHERE kept = :kept AND state <> 'kept'", { kept });
    yield* db.run("UPDATE kept_session SET gone_at = :at WHERE kept = :kept AND gone_at IS NULL", {
      kept,
      at,
    });
  }
  for (const kept of there)
    yield* db.run("UPDATE kept_session SET gone_at = NULL WHERE kept = :kept", { kept });
};

// Reads what is kept.

const columns = `kept, host, provider, place, id, state, used_at AS "usedAt", kept_at AS "keptAt",
  gone_at AS "goneAt", folder, prompt`;

export const countKept: Verb<"countKept"> = function* (db, host) {
  return yield* db.all(
    `SELECT provider, place,
       sum(CASE state WHEN 'kept' THEN 1 ELSE 0 END) AS kept,
       sum(CASE state WHEN 'own' THEN 1 ELSE 0 END) AS own,
       sum(CASE WHEN state = 'kept' AND gone_at IS NOT NULL THEN 1 ELSE 0 END) AS gone,
       CAST(coalesce(sum((SELECT sum(stored) FROM kept_part
         WHERE kept_part.kept = kept_session.kept)), 0) AS BIGINT) AS bytes
     FROM kept_session WHERE host = :host
     GROUP BY provider, place ORDER BY provider, place`,
    { host },
  );
};

export const listKept: Verb<"listKept"> = function* (
  db,
  { host, of, gone, before = Number.MAX_SAFE_INTEGER, limit },
) {
  const inHome = of ? "AND provider = :provider AND place = :place" : "";
  const where = `host = :host ${inHome} AND state = 'kept'`;
  return yield* db.all<KeptCopy>(
    gone
      ? `SELECT ${columns} FROM kept_session WHERE ${where} AND gone_at < :before
         ORDER BY gone_at DESC, kept LIMIT :limit`
      : `SELECT ${columns} FROM kept_session WHERE ${where} AND gone_at IS NULL AND used_at < :before
         ORDER BY used_at, kept LIMIT :limit`,
    { host, before, limit, ...of },
  );
};

export const findKept: Verb<"findKept"> = function* (db, { id, limit }) {
  return yield* db.all<KeptCopy>(
    `SELECT ${columns} FROM kept_session
     WHERE state = 'kept' AND id >= :id AND substr(id, 1, length(:id)) = :id
     ORDER BY used_at DESC, kept LIMIT :limit`,
    { id, limit },
  );
};

export const readKept: Verb<"readKept"> = function* (db, { kept, earlier }) {
  const session = yield* db.get<KeptCopy>(
    `SELECT ${columns} FROM kept_session WHERE kept = :kept AND state = 'kept'`,
    { kept },
  );
  if (!session) return null;
  const files = yield* db.all<KeptFile>(
    `SELECT ${fileColumns} FROM kept_file AS file WHERE kept = :kept ORDER BY name`,
    { kept },
  );
  const parts = yield* db.all<KeptPart & { name: string; generation: number }>(
    `SELECT name, generation, start, size, sha256 FROM kept_part WHERE kept = :kept
     ORDER BY name, generation, start`,
    { kept },
  );
  return {
    session,
    files: files.map((file) => {
      const all = parts.filter(({ name }) => name === file.name);
      const wanted = earlier ? (all[0]?.generation ?? file.generation) : file.generation;
      const content = all
        .filter(({ generation }) => generation === wanted)
        .map(({ start, size, sha256 }) => ({ start, size, sha256 }));
      return { ...file, content };
    }),
  };
};

export const readKeptBytes: Verb<"readKeptBytes"> = function* (db, sha256) {
  const blob = yield* db.get<{ size: number; encoding: "plain" | "zstd"; packed: Uint8Array }>(
    "SELECT size, encoding, bytes AS packed FROM blob WHERE sha256 = :sha256",
    { sha256 },
  );
  return blob ? unpack(blob, blob.size) : new Uint8Array();
};

export const forgetKept: Verb<"forgetKept"> = function* (db, { kept, at, by }) {
  yield* lockName(db, `kept:${kept}`);
  const session = yield* db.get<KeptCopy>(
    `SELECT ${columns} FROM kept_session WHERE kept = :kept AND state = 'kept'`,
    { kept },
  );
  if (!session) return;
  yield* removeKeptParts(db, "kept = :kept", { kept });
  if (session.goneAt === null)
    yield* db.run("UPDATE kept_session SET state = 'forgotten' WHERE kept = :kept", { kept });
  else yield* db.run("DELETE FROM kept_session WHERE kept = :kept", { kept });
  const { host, provider, id } = session;
  const data = { provider, id, ...doneBy({ by }) };
  yield* appendEvent(db, `protection:${host}`, { type: "protection.forgotten", data }, at);
};
