/** Logins of browsers. */

export const logins = `
-- A browser that logged in with a token: the digests of its cookie and of the token.
CREATE TABLE login (
  hash TEXT NOT NULL PRIMARY KEY,
  token TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
`;
