/** The server removes a token that it accepts from the address, so one that is still there was refused. */

/** Removes the token from the address and the history. True if there was one. */
export function takeTokenFromAddress(): boolean {
  const url = new URL(window.location.href);
  if (!url.searchParams.has("token")) return false;
  url.searchParams.delete("token");
  window.history.replaceState(null, "", url);
  return true;
}
