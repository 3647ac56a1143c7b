/** Runs and inbox items. */

export const runs = `
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
`;
