/** The link that opens the page, with the token that logs in. */

import { homeToken } from "../server/tokens.ts";

export function pageLink(url: string, token: string): string {
  return `${url}/?token=${token}`;
}

/** The link for the server of `home`. Agents must not see it: they could answer gates with its token. */
export async function pageLinkOf(
  home: string,
  { url, publicUrl }: { readonly url: string; readonly publicUrl?: string },
): Promise<string> {
  return pageLink(publicUrl ?? url, await homeToken(home));
}
