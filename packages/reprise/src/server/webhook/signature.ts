/**
 * Signs webhook messages, in both directions: HMAC-SHA256 with the webhook's secret over the timestamp, a dot and the
 * body as it is sent.
 *
 *     Reprise-Timestamp: 1767225600
 *     Reprise-Signature: v1=5257a869e7…
 */

import { createHmac, timingSafeEqual } from "node:crypto";

export const timestampHeader = "reprise-timestamp";
export const signatureHeader = "reprise-signature";

/** How far a message's time may be from ours, in seconds, so that a copied message soon becomes invalid. */
const tolerance = 300;

/** `seconds` since 1970. */
export function signatureOf(secret: string, seconds: number, body: string | Uint8Array): string {
  return `v1=${createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex")}`;
}

export function isSigned(
  secret: string,
  {
    timestamp,
    signature,
    body,
    now,
  }: { timestamp: string; signature: string; body: Uint8Array; now: number },
): boolean {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now / 1000 - seconds) <= tolerance)) return false;
  const wanted = Buffer.from(signatureOf(secret, seconds, body));
  // There may be several, for example while a secret is being changed.
  return signature.split(",").some((each) => {
    const given = Buffer.from(each.trim());
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}
