/** A session key: the stable name under which a caller continues one conversation. */

import { UsageError } from "../errors/errors.ts";
import { shown } from "../errors/shown.ts";

declare const brand: unique symbol;
export type SessionKey = string & { readonly [brand]: "SessionKey" };

export const keyGrammar = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/;

export function isSessionKey(text: string): text is SessionKey {
  return keyGrammar.test(text);
}

/** The hint for a text that is not a key. */
export const keyRule =
  "Use 1 to 200 letters, digits, dots, underscores, colons or dashes, beginning with a letter or a digit.";

export function sessionKey(text: string): SessionKey {
  if (isSessionKey(text)) return text;
  throw new UsageError("bad-key", `${shown(text)} is not a session key.`, keyRule);
}
