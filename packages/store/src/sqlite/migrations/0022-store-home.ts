/** The home that uses a database. A file inside a home needs no such record; a database on a server does. */

export const storeHome = `
-- At most one row.
CREATE TABLE store_home (
  id TEXT NOT NULL PRIMARY KEY,
  host TEXT NOT NULL,
  path TEXT NOT NULL,
  at BIGINT NOT NULL
);
`;
