/** Provider sessions that Reprise did not start, kept as copies of their files. */

export const keptSessions = `
-- Whether a host keeps the sessions of its programs, and its last scan. unread: files that it could not read, as JSON.
CREATE TABLE protection (
  host TEXT NOT NULL PRIMARY KEY,
  on_at BIGINT,
  scanned_at BIGINT,
  unread TEXT NOT NULL
);

-- state: kept; own, if a session of Reprise continues it, whose checkpoints have its files; forgotten; or other, for a file
-- without a session, so that it is not read again.
-- gone_at: when a scan first missed its files.
CREATE TABLE kept_session (
  kept TEXT NOT NULL PRIMARY KEY,
  host TEXT NOT NULL,
  provider TEXT NOT NULL,
  place TEXT NOT NULL,
  id TEXT NOT NULL,
  state TEXT NOT NULL,
  used_at BIGINT NOT NULL,
  kept_at BIGINT NOT NULL,
  gone_at BIGINT,
  folder TEXT,
  prompt TEXT
);
CREATE INDEX kept_session_id ON kept_session (id);
CREATE INDEX kept_session_place ON kept_session (host, provider, place, kept);

-- found_size and modified_at are those of the file when it was read; size is what was kept of it.
CREATE TABLE kept_file (
  kept TEXT NOT NULL REFERENCES kept_session (kept) ON DELETE CASCADE,
  name TEXT NOT NULL,
  generation BIGINT NOT NULL,
  size BIGINT NOT NULL,
  found_size BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  fingerprint TEXT NOT NULL,
  PRIMARY KEY (kept, name)
);

-- A file is its parts of one generation in the order of their starts. stored: how many bytes the part takes.
CREATE TABLE kept_part (
  kept TEXT NOT NULL REFERENCES kept_session (kept) ON DELETE CASCADE,
  name TEXT NOT NULL,
  generation BIGINT NOT NULL,
  start BIGINT NOT NULL,
  size BIGINT NOT NULL,
  stored BIGINT NOT NULL,
  sha256 TEXT NOT NULL REFERENCES blob (sha256),
  PRIMARY KEY (kept, name, generation, start)
);
CREATE INDEX kept_part_blob ON kept_part (sha256);
`;
