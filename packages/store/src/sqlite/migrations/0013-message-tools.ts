/** The tools that ran before a turn was cut off. */

export const messageTools = `
-- For a prompt whose turn was cut off: the tools that ran before, as a JSON list of names.
ALTER TABLE message ADD COLUMN tools TEXT;
`;
