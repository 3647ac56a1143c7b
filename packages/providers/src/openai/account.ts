/** The account of an API model: a keyed digest of the API key and of the address that it is sent to. */

import type { Hash } from "@reprise/core/conversation/slice";
import type { ProviderAgent } from "../provider.ts";
import { addressOf, defaultAddress, keyOf } from "./settings.ts";

export const howToLogIn =
  "Set OPENAI_API_KEY where Reprise is started, or name another variable with the setting apiKey=env:NAME.";

/** With the address, because the conversation would be sent there. Null without a key. */
export function accountOf(agent: ProviderAgent, digest: Hash): string | null {
  const key = keyOf(agent);
  return key === undefined ? null : `key:${digest(`${addressOf(agent)}\n${key}`)}`;
}

/** A service of one's own may need no key. */
export async function lacksLogin(agent: ProviderAgent): Promise<boolean> {
  return addressOf(agent) === defaultAddress && keyOf(agent) === undefined;
}
