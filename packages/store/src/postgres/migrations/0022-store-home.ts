/** The home that uses the database. */

export const storeHome = `
  -- At most one row.
  CREATE TABLE store_home (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    host TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL
  );
`;
