/**
 * The schema, as numbered steps that only go forward. Types are the common subset of SQLite and
 * PostgreSQL: TEXT, BIGINT (milliseconds, counts, 0 or 1), JSON as TEXT; only checkpoint bytes are BLOB.
 * Long texts are the last columns of a table, so that SQLite reads the columns before them without following
 * overflow pages.
 */

import type { Db } from "./db.ts";
import { newerError } from "./errors.ts";

const migrations: readonly string[] = [
  `
  CREATE TABLE agent (
    name TEXT NOT NULL PRIMARY KEY,
    class TEXT,
    kind TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT,
    folder TEXT,
    sessions TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at BIGINT NOT NULL
  );

  CREATE TABLE session (
    key TEXT NOT NULL PRIMARY KEY,
    conversation TEXT NOT NULL,
    agent TEXT NOT NULL,
    provider TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    archived_at BIGINT,
    channel TEXT,
    turns BIGINT NOT NULL,
    last_outcome TEXT,
    last_status TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  );
  CREATE INDEX session_agent ON session (agent, key);

  -- What remains of a purged key.
  CREATE TABLE tombstone (
    key TEXT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
  );

  CREATE TABLE turn (
    id TEXT NOT NULL PRIMARY KEY,
    key TEXT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    status TEXT NOT NULL,
    agent TEXT NOT NULL,
    provider TEXT NOT NULL,
    acknowledged BIGINT NOT NULL,
    owner TEXT,
    token BIGINT NOT NULL,
    opened_at BIGINT NOT NULL,
    started_at BIGINT,
    ended_at BIGINT,
    error TEXT,
    usage TEXT,
    notices TEXT NOT NULL,
    request TEXT NOT NULL,
    output TEXT,
    UNIQUE (key, seq)
  );
  CREATE INDEX turn_open ON turn (key, seq) WHERE status IN ('queued', 'running', 'waiting');

  CREATE TABLE attempt (
    turn TEXT NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    bumped_epoch BIGINT NOT NULL,
    handle TEXT,
    exit TEXT,
    ending TEXT,
    error TEXT,
    usage TEXT,
    tools BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    launch TEXT,
    argv TEXT,
    decision TEXT NOT NULL,
    PRIMARY KEY (turn, number)
  );

  -- key:<key> and handle:<provider>:<id>, each held by one open turn.
  CREATE TABLE lease (
    name TEXT NOT NULL PRIMARY KEY,
    turn TEXT NOT NULL REFERENCES turn (id) ON DELETE CASCADE
  );
  CREATE INDEX lease_turn ON lease (turn);

  CREATE TABLE pin (
    key TEXT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    agent TEXT NOT NULL,
    provider TEXT NOT NULL,
    handle TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (key, agent)
  );

  -- Belongs to no session: a handle stays retired whichever key pins it.
  CREATE TABLE retired_handle (
    provider TEXT NOT NULL,
    handle TEXT NOT NULL,
    reason TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (provider, handle)
  );

  CREATE TABLE message (
    conversation TEXT NOT NULL,
    id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    role TEXT NOT NULL,
    agent TEXT NOT NULL,
    provider TEXT NOT NULL,
    turn TEXT,
    digest TEXT NOT NULL,
    origin TEXT NOT NULL,
    opening BIGINT NOT NULL,
    at BIGINT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (conversation, id),
    UNIQUE (conversation, seq)
  );

  CREATE TABLE checkpoint (
    key TEXT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    agent TEXT NOT NULL,
    handle TEXT NOT NULL,
    number BIGINT NOT NULL,
    version BIGINT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT,
    turn TEXT NOT NULL,
    at BIGINT NOT NULL,
    files TEXT NOT NULL,
    PRIMARY KEY (key, agent, handle, number)
  );
  CREATE TABLE checkpoint_part (
    key TEXT NOT NULL,
    agent TEXT NOT NULL,
    handle TEXT NOT NULL,
    name TEXT NOT NULL,
    number BIGINT NOT NULL,
    start BIGINT NOT NULL,
    size BIGINT NOT NULL,
    whole TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (key, agent, handle, name, number),
    FOREIGN KEY (key, agent, handle, number)
      REFERENCES checkpoint (key, agent, handle, number) ON DELETE CASCADE
  );
  CREATE INDEX checkpoint_part_number ON checkpoint_part (key, agent, handle, number);

  CREATE TABLE probe (
    binary_path TEXT NOT NULL PRIMARY KEY,
    result TEXT NOT NULL,
    at BIGINT NOT NULL
  );

  CREATE TABLE event (
    seq BIGINT NOT NULL PRIMARY KEY,
    stream TEXT NOT NULL,
    stream_seq BIGINT NOT NULL,
    type TEXT NOT NULL,
    at BIGINT NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (stream, stream_seq)
  );

  -- position: the order of writing, for rows of one moment.
  CREATE TABLE due (
    id TEXT NOT NULL PRIMARY KEY,
    key TEXT NOT NULL,
    at BIGINT NOT NULL,
    position BIGINT NOT NULL UNIQUE,
    failures BIGINT NOT NULL,
    owner TEXT,
    claimed_until BIGINT,
    payload TEXT NOT NULL
  );
  CREATE INDEX due_order ON due (at, position);
  CREATE INDEX due_key_order ON due (key, at, position);
  CREATE INDEX due_claimed ON due (key, claimed_until) WHERE claimed_until IS NOT NULL;
  `,
  `
  -- The question of a parked turn, and its answer.
  ALTER TABLE turn ADD COLUMN asked TEXT;
  ALTER TABLE turn ADD COLUMN answer TEXT;
  `,
  `
  -- The session's own settings, as JSON.
  ALTER TABLE session ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';

  CREATE TABLE hold (
    key TEXT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    holder TEXT NOT NULL,
    reason TEXT,
    at BIGINT NOT NULL,
    PRIMARY KEY (key, holder)
  );
  `,
  `
  -- The bytes of checkpoints, once under their digest; encoding is plain or zstd.
  CREATE TABLE blob (
    sha256 TEXT NOT NULL PRIMARY KEY,
    size BIGINT NOT NULL,
    encoding TEXT NOT NULL,
    bytes BLOB NOT NULL
  );
  INSERT INTO blob (sha256, size, encoding, bytes)
    SELECT sha256, length(bytes), 'plain', bytes FROM checkpoint_part WHERE true
    ON CONFLICT (sha256) DO NOTHING;

  ALTER TABLE checkpoint_part RENAME TO checkpoint_part_with_bytes;
  CREATE TABLE checkpoint_part (
    key TEXT NOT NULL,
    agent TEXT NOT NULL,
    handle TEXT NOT NULL,
    number BIGINT NOT NULL,
    name TEXT NOT NULL,
    start BIGINT NOT NULL,
    size BIGINT NOT NULL,
    whole TEXT NOT NULL,
    sha256 TEXT NOT NULL REFERENCES blob (sha256),
    PRIMARY KEY (key, agent, handle, number, name),
    FOREIGN KEY (key, agent, handle, number)
      REFERENCES checkpoint (key, agent, handle, number) ON DELETE CASCADE
  );
  INSERT INTO checkpoint_part (key, agent, handle, number, name, start, size, whole, sha256)
    SELECT key, agent, handle, number, name, start, size, whole, sha256
    FROM checkpoint_part_with_bytes;
  DROP TABLE checkpoint_part_with_bytes;
  CREATE INDEX checkpoint_part_blob ON checkpoint_part (sha256);

  -- The progress of the pin.
  ALTER TABLE checkpoint ADD COLUMN standing TEXT;
  `,
  `
  -- A requested compaction and its focus, as JSON.
  ALTER TABLE session ADD COLUMN compaction TEXT;
  `,
  `
  -- The events of a run are in its stream, run:<id>; seq is the last one. An ended run has no owner.
  CREATE TABLE run (
    id TEXT NOT NULL PRIMARY KEY,
    workflow TEXT NOT NULL,
    path TEXT,
    status TEXT NOT NULL,
    owner TEXT,
    token BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    ended_at BIGINT,
    error TEXT
  );
  CREATE INDEX run_order ON run (started_at, id);
  CREATE INDEX run_status ON run (status, started_at, id);
  CREATE INDEX run_workflow ON run (workflow, started_at, id);
  CREATE INDEX run_carried ON run (started_at, id)
    WHERE ended_at IS NULL AND (owner IS NOT NULL OR status = 'running');

  CREATE TABLE inbox_item (
    id TEXT NOT NULL PRIMARY KEY,
    run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    execution TEXT NOT NULL,
    kind TEXT NOT NULL,
    deadline BIGINT,
    opened_at BIGINT NOT NULL,
    resolved_at BIGINT,
    choices TEXT NOT NULL,
    answerers TEXT NOT NULL,
    sessions TEXT NOT NULL,
    title TEXT NOT NULL,
    fields TEXT NOT NULL,
    resolution TEXT,
    message TEXT
  );
  CREATE INDEX inbox_item_order ON inbox_item (opened_at, id);
  CREATE INDEX inbox_item_open ON inbox_item (opened_at, id) WHERE resolved_at IS NULL;
  CREATE INDEX inbox_item_run ON inbox_item (run, opened_at, id);
  `,
  `
  -- Agents without an identity, created for nodes of workflows; they are not listed.
  ALTER TABLE agent ADD COLUMN hidden BIGINT NOT NULL DEFAULT 0;

  CREATE TABLE agent_class (
    name TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT,
    folder TEXT,
    settings TEXT NOT NULL,
    created_at BIGINT NOT NULL
  );
  `,
  `
  -- hash: SHA-256 of the token, which itself is not stored. A name can be used again once it is revoked.
  CREATE TABLE token (
    hash TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at BIGINT
  );
  CREATE UNIQUE INDEX token_name ON token (name) WHERE revoked_at IS NULL;

  -- Calls that may be repeated. session: the key whose text the body contains, if any.
  CREATE TABLE call (
    token TEXT NOT NULL,
    key TEXT NOT NULL,
    at BIGINT NOT NULL,
    status BIGINT,
    fingerprint TEXT NOT NULL,
    subject TEXT,
    session TEXT,
    body TEXT,
    PRIMARY KEY (token, key)
  );
  CREATE INDEX call_at ON call (at);
  CREATE INDEX call_session ON call (session) WHERE session IS NOT NULL;
  `,
  `
  -- direction is outgoing or incoming; cursor: the last event that was considered for it.
  CREATE TABLE webhook (
    id TEXT NOT NULL PRIMARY KEY,
    direction TEXT NOT NULL,
    cursor BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    url TEXT,
    events TEXT NOT NULL,
    secret TEXT NOT NULL
  );

  -- seq: the event to deliver. While state is due, there is a row webhook:<id> in due.
  CREATE TABLE delivery (
    id TEXT NOT NULL PRIMARY KEY,
    webhook TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    type TEXT NOT NULL,
    state TEXT NOT NULL,
    tries BIGINT NOT NULL,
    status BIGINT,
    created_at BIGINT NOT NULL,
    tried_at BIGINT,
    next_at BIGINT,
    error TEXT
  );
  CREATE INDEX delivery_order ON delivery (webhook, seq);
  `,
  `
  -- seq is SQLite's rowid: one B-tree less to write for every event.
  CREATE TABLE numbered_event (
    seq INTEGER NOT NULL PRIMARY KEY,
    stream TEXT NOT NULL,
    stream_seq BIGINT NOT NULL,
    type TEXT NOT NULL,
    at BIGINT NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (stream, stream_seq)
  );
  INSERT INTO numbered_event (seq, stream, stream_seq, type, at, data)
    SELECT seq, stream, stream_seq, type, at, data FROM event ORDER BY seq;
  DROP TABLE event;
  ALTER TABLE numbered_event RENAME TO event;

  -- One row: the boot of the machine in which the database was last opened.
  CREATE TABLE boot (
    id TEXT NOT NULL PRIMARY KEY
  );
  `,
  `
  -- When a turn asked its question, and when and by whom it was answered.
  ALTER TABLE turn ADD COLUMN asked_at BIGINT;
  ALTER TABLE turn ADD COLUMN answered_at BIGINT;
  ALTER TABLE turn ADD COLUMN answered_by TEXT;
  UPDATE turn SET asked_at = coalesce(
      (SELECT max(ended_at) FROM attempt WHERE attempt.turn = turn.id AND ending = 'asked'),
      opened_at)
    WHERE asked IS NOT NULL;
  UPDATE turn SET answered_at = asked_at WHERE answer IS NOT NULL;
  UPDATE turn SET answered_at = event.at, answered_by = event.data ->> 'by'
    FROM event
    WHERE answer IS NOT NULL AND event.stream = 'session:' || turn.key
      AND event.type = 'turn.answered' AND event.data ->> 'turn' = turn.id
      AND event.at >= asked_at;
  CREATE INDEX turn_asked ON turn (asked_at, id) WHERE asked_at IS NOT NULL;
  CREATE INDEX turn_waiting ON turn (asked_at, id) WHERE status = 'waiting';

  -- The last event of a run has its seq and its time.
  ALTER TABLE run DROP COLUMN seq;
  ALTER TABLE run DROP COLUMN updated_at;
  `,
  `
  -- A place from which the home is opened: a machine, its boot and a pid namespace. The beat grows while a
  -- process there has the home open.
  CREATE TABLE hosts (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    beat BIGINT NOT NULL,
    at BIGINT NOT NULL
  );

  -- Written and deleted to check whether the database can grow.
  CREATE TABLE scratch (
    id INTEGER NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL
  );

  -- Live agents are counted before each launch.
  CREATE INDEX turn_running ON turn (id) WHERE status = 'running';
  `,
  `
  -- For a prompt whose turn was cut off: the tools that ran before, as a JSON list of names.
  ALTER TABLE message ADD COLUMN tools TEXT;
  `,
  `
  -- How often in a row the run could not be advanced.
  ALTER TABLE run ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
  `,
  `
  -- The turn that found that a person took the message back in the provider's own program.
  ALTER TABLE message ADD COLUMN taken_back TEXT;
  `,
  `
  -- A browser that logged in with a token: the digests of its cookie and of the token.
  CREATE TABLE login (
    hash TEXT NOT NULL PRIMARY KEY,
    token TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  );
  `,
  `
  -- Passphrases of gates: a salted hash, and the number of wrong tries in a row.
  CREATE TABLE passphrase (
    name TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL,
    set_at BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    tried_at BIGINT NOT NULL
  );
  ALTER TABLE inbox_item ADD COLUMN passphrase TEXT;
  `,
  `
  -- A slot for a running script, by the name of its spool.
  CREATE TABLE slot (
    id TEXT NOT NULL PRIMARY KEY,
    host TEXT NOT NULL,
    at BIGINT NOT NULL
  );
  `,
  `
  -- The access of agents. Existing agents keep what they have: access becomes what their provider allowed
  -- without further settings, and settings that give more still do.
  ALTER TABLE agent ADD COLUMN access TEXT NOT NULL DEFAULT 'edit';
  ALTER TABLE agent ADD COLUMN allowed_commands TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE agent ADD COLUMN on_denied TEXT NOT NULL DEFAULT 'note';
  ALTER TABLE agent_class ADD COLUMN access TEXT NOT NULL DEFAULT 'edit';
  ALTER TABLE agent_class ADD COLUMN allowed_commands TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE agent_class ADD COLUMN on_denied TEXT NOT NULL DEFAULT 'note';
  ${["agent", "agent_class"]
    .map(
      (table) => `UPDATE ${table} SET access = CASE provider
    WHEN 'codex' THEN CASE coalesce(settings ->> 'sandbox', 'read-only')
      WHEN 'read-only' THEN 'read'
      WHEN 'workspace-write' THEN 'edit'
      ELSE 'full' END
    WHEN 'claude' THEN CASE
      WHEN settings ->> 'permissionMode' IN ('bypassPermissions', 'auto') THEN 'full'
      WHEN settings ->> 'permissionMode' = 'acceptEdits' OR settings ->> 'permissions' = 'ask' THEN 'edit'
      ELSE 'read' END
    ELSE 'edit' END;`,
    )
    .join("\n  ")}

  -- What the agent was denied in an attempt.
  ALTER TABLE attempt ADD COLUMN denied TEXT;
  `,
];

export const latestSchema = migrations.length;

export function schemaVersion(db: Db): number {
  return db.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
}

/** @throws StoreError `store-newer`, having changed nothing. */
export function requireKnownSchema(db: Db): void {
  const version = schemaVersion(db);
  if (version > latestSchema) throw newerError(db.path, version, latestSchema);
}

/** Migrates the schema; a second process that opens the database meanwhile waits and finds it done. */
export function migrate(db: Db): void {
  if (schemaVersion(db) === latestSchema) return;
  db.write(() => {
    requireKnownSchema(db);
    for (const migration of migrations.slice(schemaVersion(db))) db.exec(migration);
    db.exec(`PRAGMA user_version = ${latestSchema}`);
  });
}
