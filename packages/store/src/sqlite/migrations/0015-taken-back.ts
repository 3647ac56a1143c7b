/** Messages that a person took back. */

export const takenBack = `
-- The turn that found that a person took the message back in the provider's own program.
ALTER TABLE message ADD COLUMN taken_back TEXT;
`;
