/** Parses the address of a database. One with a password is refused: other users see the arguments of programs. */

import { UsageError } from "@reprise/core/errors/errors";
import { parseStoreAddress } from "@reprise/engine/store-address";

export function storeAddress(text: string): string {
  const { url, password } = parseStoreAddress(text);
  if (password === null) return url;
  throw new UsageError(
    "password-in-arguments",
    "The address of --store contains a password, which other users of this machine can see.",
    "Leave it out, and set PGPASSWORD, use a passfile, or put the whole address into REPRISE_STORE.",
  );
}
