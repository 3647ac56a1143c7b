/** The key that a provider session continues is found by the session's id. */

export const pinHandles = `
  CREATE INDEX pin_handle ON pin (provider, handle);
`;
