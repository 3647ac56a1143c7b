/** The question of a parked turn. */

export const questions = `
-- The question of a parked turn, and its answer.
ALTER TABLE turn ADD COLUMN asked TEXT;
ALTER TABLE turn ADD COLUMN answer TEXT;
`;
