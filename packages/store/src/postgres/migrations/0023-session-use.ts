/** When a session was last used, as a column, so that an index sorts a listing by it. */

export const sessionUse = `
  ALTER TABLE session ADD COLUMN used_at BIGINT NOT NULL DEFAULT 0;
  UPDATE session SET used_at = greatest(updated_at, (SELECT max(opened_at) FROM turn
    WHERE turn.key = session.key AND status IN ('queued', 'running', 'waiting')));
  CREATE INDEX session_used ON session (used_at, key);
`;
