/** The schema that SQLite reached with its step 19. From here on, both databases take the same steps. */

export const initial = `
  CREATE TABLE agent (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    class TEXT COLLATE "C",
    kind TEXT COLLATE "C" NOT NULL,
    provider TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C",
    folder TEXT COLLATE "C",
    sessions TEXT COLLATE "C" NOT NULL,
    settings TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    hidden BIGINT NOT NULL DEFAULT 0,
    access TEXT COLLATE "C" NOT NULL DEFAULT 'edit',
    allowed_commands TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    on_denied TEXT COLLATE "C" NOT NULL DEFAULT 'note'
  );

  CREATE TABLE session (
    key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    conversation TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    provider TEXT COLLATE "C" NOT NULL,
    epoch BIGINT NOT NULL,
    archived_at BIGINT,
    channel TEXT COLLATE "C",
    turns BIGINT NOT NULL,
    last_outcome TEXT COLLATE "C",
    last_status TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    settings TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    compaction TEXT COLLATE "C"
  );

  CREATE TABLE tombstone (
    key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
  );

  CREATE TABLE turn (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    key TEXT COLLATE "C" NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    provider TEXT COLLATE "C" NOT NULL,
    acknowledged BIGINT NOT NULL,
    owner TEXT COLLATE "C",
    token BIGINT NOT NULL,
    opened_at BIGINT NOT NULL,
    started_at BIGINT,
    ended_at BIGINT,
    error TEXT COLLATE "C",
    usage JSON,
    notices TEXT COLLATE "C" NOT NULL,
    request JSON NOT NULL,
    output TEXT COLLATE "C",
    asked JSON,
    answer TEXT COLLATE "C",
    asked_at BIGINT,
    answered_at BIGINT,
    answered_by TEXT COLLATE "C",
    UNIQUE (key, seq)
  );

  CREATE TABLE attempt (
    turn TEXT COLLATE "C" NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    bumped_epoch BIGINT NOT NULL,
    handle TEXT COLLATE "C",
    exit TEXT COLLATE "C",
    ending TEXT COLLATE "C",
    error TEXT COLLATE "C",
    usage TEXT COLLATE "C",
    tools BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    launch JSON,
    argv TEXT COLLATE "C",
    decision JSON NOT NULL,
    denied TEXT COLLATE "C",
    PRIMARY KEY (turn, number)
  );

  CREATE TABLE lease (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    turn TEXT COLLATE "C" NOT NULL REFERENCES turn (id) ON DELETE CASCADE
  );

  CREATE TABLE pin (
    key TEXT COLLATE "C" NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    agent TEXT COLLATE "C" NOT NULL,
    provider TEXT COLLATE "C" NOT NULL,
    handle TEXT COLLATE "C" NOT NULL,
    data JSON NOT NULL,
    PRIMARY KEY (key, agent)
  );

  CREATE TABLE retired_handle (
    provider TEXT COLLATE "C" NOT NULL,
    handle TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (provider, handle)
  );

  CREATE TABLE message (
    conversation TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    provider TEXT COLLATE "C" NOT NULL,
    turn TEXT COLLATE "C",
    digest TEXT COLLATE "C" NOT NULL,
    origin TEXT COLLATE "C" NOT NULL,
    opening BIGINT NOT NULL,
    at BIGINT NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    tools TEXT COLLATE "C",
    taken_back TEXT COLLATE "C",
    PRIMARY KEY (conversation, id),
    UNIQUE (conversation, seq)
  );

  CREATE TABLE checkpoint (
    key TEXT COLLATE "C" NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    agent TEXT COLLATE "C" NOT NULL,
    handle TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    version BIGINT NOT NULL,
    provider TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C",
    turn TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    files TEXT COLLATE "C" NOT NULL,
    standing TEXT COLLATE "C",
    PRIMARY KEY (key, agent, handle, number)
  );

  CREATE TABLE probe (
    binary_path TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    result TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL
  );

  CREATE TABLE due (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    key TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    position BIGINT NOT NULL UNIQUE,
    failures BIGINT NOT NULL,
    owner TEXT COLLATE "C",
    claimed_until BIGINT,
    payload TEXT COLLATE "C" NOT NULL
  );

  CREATE TABLE hold (
    key TEXT COLLATE "C" NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    holder TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C",
    at BIGINT NOT NULL,
    PRIMARY KEY (key, holder)
  );

  CREATE TABLE blob (
    sha256 TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    size BIGINT NOT NULL,
    encoding TEXT COLLATE "C" NOT NULL,
    bytes BYTEA NOT NULL
  );

  CREATE TABLE checkpoint_part (
    key TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    handle TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    start BIGINT NOT NULL,
    size BIGINT NOT NULL,
    whole TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL REFERENCES blob (sha256),
    PRIMARY KEY (key, agent, handle, number, name),
    FOREIGN KEY (key, agent, handle, number) REFERENCES checkpoint (key, agent, handle, number) ON DELETE CASCADE
  );

  CREATE TABLE run (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    workflow TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C",
    token BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    error TEXT COLLATE "C",
    failures BIGINT NOT NULL DEFAULT 0
  );

  CREATE TABLE inbox_item (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    run TEXT COLLATE "C" NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    execution TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    deadline BIGINT,
    opened_at BIGINT NOT NULL,
    resolved_at BIGINT,
    choices TEXT COLLATE "C" NOT NULL,
    answerers TEXT COLLATE "C" NOT NULL,
    sessions TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    fields TEXT COLLATE "C" NOT NULL,
    resolution TEXT COLLATE "C",
    message TEXT COLLATE "C",
    passphrase TEXT COLLATE "C"
  );

  CREATE TABLE agent_class (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    provider TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C",
    folder TEXT COLLATE "C",
    settings TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    access TEXT COLLATE "C" NOT NULL DEFAULT 'edit',
    allowed_commands TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    on_denied TEXT COLLATE "C" NOT NULL DEFAULT 'note'
  );

  CREATE TABLE token (
    hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at BIGINT
  );

  CREATE TABLE call (
    token TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    status BIGINT,
    fingerprint TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C",
    session TEXT COLLATE "C",
    body TEXT COLLATE "C",
    PRIMARY KEY (token, key)
  );

  CREATE TABLE webhook (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    direction TEXT COLLATE "C" NOT NULL,
    cursor BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    url TEXT COLLATE "C",
    events TEXT COLLATE "C" NOT NULL,
    secret TEXT COLLATE "C" NOT NULL
  );

  CREATE TABLE delivery (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    webhook TEXT COLLATE "C" NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    tries BIGINT NOT NULL,
    status BIGINT,
    created_at BIGINT NOT NULL,
    tried_at BIGINT,
    next_at BIGINT,
    error TEXT COLLATE "C"
  );

  CREATE TABLE event (
    seq BIGINT NOT NULL PRIMARY KEY,
    stream TEXT COLLATE "C" NOT NULL,
    stream_seq BIGINT NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    data JSON NOT NULL,
    UNIQUE (stream, stream_seq)
  );

  CREATE TABLE boot (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY
  );

  CREATE TABLE hosts (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    beat BIGINT NOT NULL,
    at BIGINT NOT NULL
  );

  CREATE TABLE scratch (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    bytes BYTEA NOT NULL
  );

  CREATE TABLE login (
    hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    token TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  );

  CREATE TABLE passphrase (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    hash TEXT COLLATE "C" NOT NULL,
    set_at BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    tried_at BIGINT NOT NULL
  );

  CREATE TABLE slot (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    host TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL
  );

  CREATE INDEX session_agent ON session (agent, key);
  CREATE INDEX turn_open ON turn (key, seq) WHERE status IN ('queued', 'running', 'waiting');
  CREATE INDEX lease_turn ON lease (turn);
  CREATE INDEX due_order ON due (at, position);
  CREATE INDEX due_key_order ON due (key, at, position);
  CREATE INDEX due_claimed ON due (key, claimed_until) WHERE claimed_until IS NOT NULL;
  CREATE INDEX checkpoint_part_blob ON checkpoint_part (sha256);
  CREATE INDEX run_order ON run (started_at, id);
  CREATE INDEX run_status ON run (status, started_at, id);
  CREATE INDEX run_workflow ON run (workflow, started_at, id);
  CREATE INDEX run_carried ON run (started_at, id) WHERE ended_at IS NULL AND (owner IS NOT NULL OR status = 'running');
  CREATE INDEX inbox_item_order ON inbox_item (opened_at, id);
  CREATE INDEX inbox_item_open ON inbox_item (opened_at, id) WHERE resolved_at IS NULL;
  CREATE INDEX inbox_item_run ON inbox_item (run, opened_at, id);
  CREATE UNIQUE INDEX token_name ON token (name) WHERE revoked_at IS NULL;
  CREATE INDEX call_at ON call (at);
  CREATE INDEX call_session ON call (session) WHERE session IS NOT NULL;
  CREATE INDEX delivery_order ON delivery (webhook, seq);
  CREATE INDEX turn_asked ON turn (asked_at, id) WHERE asked_at IS NOT NULL;
  CREATE INDEX turn_waiting ON turn (asked_at, id) WHERE status = 'waiting';
  CREATE INDEX turn_running ON turn (id) WHERE status = 'running';

  -- The order in which due rows were written.
  CREATE SEQUENCE due_position;

  -- Names the run of the server. It is another one after every start and after every crash.
  CREATE FUNCTION server_run() RETURNS TEXT LANGUAGE sql STABLE AS $$
    SELECT extract(epoch FROM pg_postmaster_start_time())::TEXT || ' '
      || coalesce(pg_last_wal_replay_lsn()::TEXT, '')
  $$;

  -- The first number that this run of the server gives to a transaction, once it has repeated its log: it writes a
  -- checkpoint then, and the next one comes minutes later.
  CREATE FUNCTION recovered_transactions() RETURNS XID8 LANGUAGE sql STABLE AS $$
    SELECT (split_part(next_xid, ':', 1)::BIGINT * 4294967296 + split_part(next_xid, ':', 2)::BIGINT)::TEXT::XID8
    FROM pg_control_checkpoint()
  $$;

  -- The run of the server in which the data was last used, the first transaction of that run, and what is added to
  -- the numbers of events since then.
  CREATE TABLE incarnation (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    first_transaction XID8 NOT NULL,
    event_base BIGINT NOT NULL
  );
  INSERT INTO incarnation
    VALUES (server_run(), recovered_transactions(), -4096 * pg_current_xact_id()::TEXT::BIGINT);

  -- Numbers an event by its transaction, so that a reader can tell which transactions are still open.
  CREATE FUNCTION next_event() RETURNS BIGINT LANGUAGE plpgsql AS $$
    DECLARE
      number BIGINT := coalesce(nullif(current_setting('reprise.events', true), ''), '0')::BIGINT + 1;
    BEGIN
      IF number >= 4096 THEN
        RAISE EXCEPTION 'A transaction can append at most 4095 events.';
      END IF;
      PERFORM set_config('reprise.events', number::TEXT, true);
      RETURN (SELECT event_base FROM incarnation)
        + pg_current_xact_id()::TEXT::BIGINT * 4096 + number;
    END
  $$;

  -- Below this number no event can appear any more.
  CREATE FUNCTION visible_events() RETURNS BIGINT LANGUAGE sql STABLE AS $$
    SELECT (SELECT event_base FROM incarnation)
      + pg_snapshot_xmin(pg_current_snapshot())::TEXT::BIGINT * 4096
  $$;

  -- SQLite's names for what PostgreSQL calls greatest and strpos.
  CREATE FUNCTION max(BIGINT, BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE
    AS 'SELECT greatest($1, $2)';
  CREATE FUNCTION instr(TEXT, TEXT) RETURNS INTEGER LANGUAGE sql IMMUTABLE
    AS 'SELECT strpos($1, $2)';
`;
