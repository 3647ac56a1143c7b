/** How a pin names the account of an API key: `key:`, then a digest of the key. */

/** Before a digest that is keyed by the secret of the store; earlier ones are keyed by the file `secret` of the home. */
const mark = "s-";

/** A digest that is keyed by the secret of the store, as it is written. */
export function storeKeyed(digest: string): string {
  return `${mark}${digest}`;
}

export function isKey(account: string | null | undefined): boolean {
  return account?.startsWith("key:") ?? false;
}

/** An account that can be recognised only with the file `secret` of the home in which it was pinned. */
export function needsHomeSecret(account: string | null | undefined): boolean {
  return isKey(account) && !account?.startsWith(`key:${mark}`);
}
