/** Slots for scripts. */

export const slots = `
-- A slot for a running script, by the name of its spool.
CREATE TABLE slot (
  id TEXT NOT NULL PRIMARY KEY,
  host TEXT NOT NULL,
  at BIGINT NOT NULL
);
`;
