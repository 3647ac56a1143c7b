/** Tokens that expire. */

export const tokenExpiry = `
-- expires_at: null for a token that does not expire. From here on, revoked_at may be in the future: the time
-- until which the earlier token of a rotated one stays valid.
ALTER TABLE token ADD COLUMN expires_at BIGINT;
`;
