/** Digests: SHA-256 of texts and bytes, and a keyed one for credentials. */

import { createHmac, hash } from "node:crypto";

export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** Equal credentials give equal digests, and nothing can be learnt from one without the home's secret. */
export function keyedDigest(secret: string): (text: string) => string {
  return (text) => createHmac("sha256", secret).update(text).digest("hex").slice(0, 32);
}
