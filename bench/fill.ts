/** Fills a database with sessions that are ready to be resumed, quicker than turns could. */

import { DatabaseSync } from "node:sqlite";
import { chain, messageDigest } from "@reprise/core/conversation/slice";
import { type SessionKey, sessionKey } from "@reprise/core/session/key";
import type { Pin } from "@reprise/core/session/pin";
import { sha256 } from "@reprise/engine/engine";
import { openSqliteStore } from "@reprise/store/sqlite/open";

const turns = 2;
const at = Date.UTC(2026, 0, 1);
const batch = 50_000;

const messages = Array.from({ length: turns }, (_, index) => [
  { role: "user", text: `Question ${index + 1}: what must be changed here, and why?` },
  { role: "assistant", text: `Answer ${index + 1}: ${"this was changed. ".repeat(5)}` },
])
  .flat()
  .map((message) => ({ ...message, digest: messageDigest(message.role, message.text, sha256) }));
const sessionFile = Buffer.from(
  messages.map(({ role, text }) => `${JSON.stringify({ role, text })}\n`).join(""),
);
const conversation = chain(
  messages.map(({ digest }) => digest),
  sha256,
);

/** What every session has pinned, but for the id of its handle. */
export const pin: Pin = {
  handle: { id: "", place: "/homes/scripted" },
  provider: "scripted",
  agent: "coder",
  folder: "/projects/bench",
  runtime: {
    product: "scripted-agent",
    home: "/homes/scripted",
    version: "1.0.0",
    abilities: ["resume", "model-on-resume"],
  },
  model: null,
  account: null,
  instructions: "none",
  given: conversation,
  cursor: `m${messages.length}`,
  history: conversation,
  summary: null,
  residue: null,
  totals: null,
  strikes: 0,
  turns,
  tokens: 1000,
  bytes: sessionFile.length,
  startedAt: at,
  confirmedAt: at,
};

export function keyOf(number: number): SessionKey {
  return sessionKey(`bench:${String(number).padStart(8, "0")}`);
}

/** SQL for session `i` and its turn `n`, in the form that `keyOf` writes. */
const key = "printf('bench:%08d', i)";
const turn = "printf('bench-%08d-%d', i, n)";
const handle = "printf('%08x-0000-4000-8000-000000000000', i)";
const file = `'sessions/' || ${handle} || '.jsonl'`;
const digest = "printf('%064x', i)";

const statements = [
  `INSERT INTO session (key, conversation, agent, provider, epoch, turns, last_outcome, last_status,
     created_at, updated_at)
   SELECT ${key}, ${key}, :agent, :provider, 0, :turns, 'resume', 'done', :at, :at FROM number`,
  `INSERT INTO turn (id, key, seq, status, agent, provider, acknowledged, token, opened_at,
     started_at, ended_at, notices, request, output)
   SELECT ${turn}, ${key}, n, 'done', :agent, :provider, 0, 1, :at, :at, :at, '[]',
     json_object('key', ${key}, 'agent', :agent, 'surface', 'direct'), 'changed'
   FROM number, sample_turn`,
  `INSERT INTO attempt (turn, number, bumped_epoch, handle, exit, ending, tools, started_at,
     ended_at, argv, decision)
   SELECT ${turn}, 1, 0, ${handle}, '0', 'confirmed', 0, :at, :at, '[]',
     json_object('outcome', 'resume', 'reason', 'all-hold')
   FROM number, sample_turn`,
  `INSERT INTO message (conversation, id, seq, role, agent, provider, turn, digest, origin, opening,
     at, text)
   SELECT ${key}, 'm' || seq, seq, role, :agent, :provider, ${turn}, digest, 'turn', seq = 1, :at,
     text
   FROM number, sample_message`,
  `INSERT INTO pin (key, agent, provider, handle, data)
   SELECT ${key}, :agent, :provider, ${handle}, json_set(:pin, '$.handle.id', ${handle})
   FROM number`,
  `INSERT INTO checkpoint (key, agent, handle, number, version, provider, turn, at, files, standing)
   SELECT ${key}, :agent, ${handle}, 1, 1, :provider, ${turn}, :at,
     json_array(json_object('name', ${file}, 'size', length(:bytes), 'whole', :whole, 'snapshot',
       length(:bytes))),
     json_object('given', json(:given), 'history', json(:given))
   FROM number, sample_turn WHERE n = :turns`,
  // Every session has bytes of its own, as sessions do.
  `INSERT INTO blob (sha256, size, encoding, bytes)
   SELECT ${digest}, length(:bytes), 'plain', :bytes FROM number`,
  `INSERT INTO checkpoint_part (key, agent, handle, number, name, start, size, whole, sha256)
   SELECT ${key}, :agent, ${handle}, 1, ${file}, 0, length(:bytes), :whole, ${digest} FROM number`,
  `INSERT INTO event (seq, stream, stream_seq, type, at, data)
   SELECT i * :turns + n, 'session:' || ${key}, n, 'turn.finished', :at,
     json_object('turn', ${turn}, 'seq', n, 'status', 'done')
   FROM number, sample_turn`,
];

/** Makes the database `path` with sessions 0 to `count` - 1. */
export async function fill(path: string, count: number): Promise<void> {
  await (await openSqliteStore(path)).close();
  const database = new DatabaseSync(path);
  // A fill that breaks off is thrown away.
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000");
  database.exec(`
    CREATE TEMP TABLE number (i INTEGER PRIMARY KEY);
    CREATE TEMP TABLE sample_message (seq INTEGER PRIMARY KEY, n, role, digest, text);
    CREATE TEMP VIEW sample_turn AS SELECT DISTINCT n FROM sample_message`);
  const insert = database.prepare("INSERT INTO sample_message VALUES (?, ?, ?, ?, ?)");
  for (const [index, { role, digest, text }] of messages.entries())
    insert.run(index + 1, Math.floor(index / 2) + 1, role, digest, text);

  const values = {
    agent: pin.agent,
    provider: pin.provider,
    turns,
    at,
    pin: JSON.stringify(pin),
    given: JSON.stringify(pin.given),
    bytes: sessionFile,
    whole: sha256(sessionFile),
  };
  for (let from = 0; from < count; from += batch) {
    const last = Math.min(from + batch, count) - 1;
    database.exec(`BEGIN; DELETE FROM number;
      INSERT INTO number WITH RECURSIVE next (i) AS (
        SELECT ${from} UNION ALL SELECT i + 1 FROM next WHERE i < ${last}) SELECT i FROM next`);
    for (const sql of statements) {
      const statement = database.prepare(sql);
      statement.setAllowUnknownNamedParameters(true);
      statement.run(values);
    }
    database.exec("COMMIT");
  }
  database.close();
}
