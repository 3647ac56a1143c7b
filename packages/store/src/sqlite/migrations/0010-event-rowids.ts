/** A smaller event table, and the boot in which the database was last used. */

export const eventRowids = `
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
`;
