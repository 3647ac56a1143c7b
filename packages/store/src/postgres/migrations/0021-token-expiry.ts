/** Tokens that expire. */

export const tokenExpiry = "ALTER TABLE token ADD COLUMN expires_at BIGINT;";
