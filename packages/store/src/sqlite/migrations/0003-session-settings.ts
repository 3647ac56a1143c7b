/** Settings and holds of sessions. */

export const sessionSettings = `
-- The session's own settings, as JSON.
ALTER TABLE session ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';

CREATE TABLE hold (
  key TEXT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
  holder TEXT NOT NULL,
  reason TEXT,
  at BIGINT NOT NULL,
  PRIMARY KEY (key, holder)
);
`;
