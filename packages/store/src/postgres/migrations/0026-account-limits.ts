/** Accounts whose limit is used up, until their reset. */

export const accountLimits = `
-- The turn that found it may be gone; the agent is its agent.
CREATE TABLE account_limit (
  provider TEXT NOT NULL,
  account TEXT NOT NULL,
  until BIGINT NOT NULL,
  turn TEXT NOT NULL,
  agent TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (provider, account)
);
`;
