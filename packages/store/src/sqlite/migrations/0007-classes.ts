/** Hidden agents, and classes. */

export const classes = `
-- Agents without an identity, created for nodes of workflows; they are not listed.
ALTER TABLE agent ADD COLUMN hidden BIGINT NOT NULL DEFAULT 0;

CREATE TABLE agent_class (
  name TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT,
  folder TEXT,
  settings TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
`;
