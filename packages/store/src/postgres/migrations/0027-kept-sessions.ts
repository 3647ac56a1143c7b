/** Provider sessions that Reprise did not start, kept as copies of their files. */

export const keptSessions = `
  -- Whether a host keeps the sessions of its programs, and its last scan. unread: files that it could not read, as JSON.
  CREATE TABLE protection (
    host TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    on_at BIGINT,
    scanned_at BIGINT,
    unread TEXT COLLATE "C" NOT NULL
  );

  -- state: kept; own, if a session of Reprise continues it, whose checkpoints have its files; forgotten; or other, for a file
  -- without a session, so that it is not read again.
  -- gone_at: when a scan first missed its files.
  CREATE TABLE kept_session (
    kept TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    host TEXT COLLATE "C" NOT NULL,
    provider TEXT COLLATE "C" NOT NULL,
    place TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    used_at BIGINT NOT NULL,
    kept_at BIGINT NOT NULL,
    gone_at BIGINT,
    folder TEXT COLLATE "C",
    prompt TEXT COLLATE "C"
  );
  CREATE INDEX kept_session_id ON kept_session (id);
  CREATE INDEX kept_session_place ON kept_session (host, provider, place, kept);

  -- found_size and modified_at are those of the file when it was read; size is what was kept of it.
  CREATE TABLE kept_file (
    kept TEXT COLLATE "C" NOT NULL REFERENCES kept_session (kept) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    generation BIGINT NOT NULL,
    size BIGINT NOT NULL,
    found_size BIGINT NOT NULL,
    modified_at BIGINT NOT NULL,
      fingerprint TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (kept, name)
  );

  -- A file is its parts of one generation in the order of their starts. stored: how many bytes the part takes.
  CREATE TABLE kept_part (
    kept TEXT COLLATE "C" NOT NULL REFERENCES kept_session (kept) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    generation BIGINT NOT NULL,
    start BIGINT NOT NULL,
    size BIGINT NOT NULL,
    stored BIGINT NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (kept, name, generation, start)
  );
  CREATE INDEX kept_part_blob ON kept_part (sha256);
`;
