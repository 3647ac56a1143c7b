/** The first schema: agents, sessions, turns, transcripts, pins, checkpoints, events and due rows. */

export const initial = `
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
`;
