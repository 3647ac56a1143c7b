/** The bytes of checkpoints, stored once. */

export const checkpointBlobs = `
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
`;
