/** Passphrases of gates. */

export const passphrases = `
-- Passphrases of gates: a salted hash, and the number of wrong tries in a row.
CREATE TABLE passphrase (
  name TEXT NOT NULL PRIMARY KEY,
  hash TEXT NOT NULL,
  set_at BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  tried_at BIGINT NOT NULL
);
ALTER TABLE inbox_item ADD COLUMN passphrase TEXT;
`;
