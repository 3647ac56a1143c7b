/** The account that gemini would use: the address of a login, or a keyed digest of an API key. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "@reprise/core/conversation/slice";
import { readParsed } from "../files.ts";
import type { ProviderAgent } from "../provider.ts";
import { homeOf } from "./home.ts";

export const howToLogIn = 'Log in with "gemini" in the agent\'s home, or set GEMINI_API_KEY.';

interface Settings {
  readonly security?: { readonly auth?: { readonly selectedType?: string } };
}

/** Null when it is unknown, as with credentials in the system's key store. */
export async function accountOf(
  { env }: ProviderAgent,
  home: string,
  digest: Hash,
): Promise<string | null> {
  const folder = join(home, ".gemini");
  const { security } = await readParsed<Settings>(join(folder, "settings.json"));
  const way = security?.auth?.selectedType ?? wayOf(env);
  if (way === "oauth-personal") {
    const { active } = await readParsed<{ active: string }>(join(folder, "google_accounts.json"));
    return active ? `google:${active}` : null;
  }
  const key = way === "vertex-ai" ? env.GOOGLE_API_KEY : env.GEMINI_API_KEY;
  return key ? `key:${digest(key)}` : null;
}

/** A way that was chosen in gemini itself may have its credentials in the system's key store. */
export async function lacksLogin(agent: ProviderAgent): Promise<boolean> {
  const home = await homeOf(agent);
  const folder = join(home, ".gemini");
  const { security } = await readParsed<Settings>(join(folder, "settings.json"));
  if (security?.auth?.selectedType || wayOf(agent.env) === "vertex-ai") return false;
  // Gemini reads these files too.
  if ([folder, home].some((each) => existsSync(join(each, ".env")))) return false;
  return (await accountOf(agent, home, () => "known")) === null;
}

/** As gemini (0.61) chooses where its settings do not say. */
function wayOf(env: ProviderAgent["env"]): string {
  if (env.GOOGLE_GENAI_USE_GCA === "true") return "oauth-personal";
  return env.GOOGLE_GENAI_USE_VERTEXAI === "true" ? "vertex-ai" : "gemini-api-key";
}
