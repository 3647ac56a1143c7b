/** The server takes a token that it knows out of the address, so one that is still there was refused. */

/** True when there was one; it is not left in the history of the browser. */
export function takeTokenFromAddress(): boolean {
  const url = new URL(window.location.href);
  if (!url.searchParams.has("token")) return false;
  url.searchParams.delete("token");
  window.history.replaceState(null, "", url);
  return true;
}
