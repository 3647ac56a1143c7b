/** Versions of pins, and the secret of the store, which outlives the home that it was made in. */

export const pinVersions = `
  -- A pin is changed only by who knows its version.
  ALTER TABLE pin ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

  -- One row at most: the key for the digests that identify accounts in pins.
  CREATE TABLE store_secret (
    secret TEXT COLLATE "C" NOT NULL PRIMARY KEY
  );
`;
