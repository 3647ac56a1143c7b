/** Requested compactions. */

export const compaction = `
-- A requested compaction and its focus, as JSON.
ALTER TABLE session ADD COLUMN compaction TEXT;
`;
