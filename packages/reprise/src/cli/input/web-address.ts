/** The address under which a proxy shows the server, as the setting has it. */

import { canonicalSetting } from "@reprise/core/settings/settings";

export function webAddress(text: string): string {
  return String(canonicalSetting("publicUrl", text, "--public-url"));
}
