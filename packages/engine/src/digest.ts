/** Digests: SHA-256 of text and bytes, and a keyed digest for credentials. */

import { createHmac, hash } from "node:crypto";

export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** Equal credentials give equal digests; without the home's secret a digest reveals nothing. */
export function keyedDigest(secret: string): (text: string) => string {
  return (text) => createHmac("sha256", secret).update(text).digest("hex").slice(0, 32);
}
