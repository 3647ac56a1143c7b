/** Failures of runs in a row. */

export const runFailures = `
-- How often in a row the run could not be advanced.
ALTER TABLE run ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
`;
