/** Parses the address of a proxy in front of the server, as for the setting `publicUrl`. */

import { canonicalSetting } from "@reprise/core/settings/settings";

export function webAddress(text: string): string {
  return String(canonicalSetting("publicUrl", text, "--public-url"));
}
