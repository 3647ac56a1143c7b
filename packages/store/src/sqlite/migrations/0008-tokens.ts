/** Tokens, and calls that may be repeated. */

export const tokens = `
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
`;
