/** Ids of turns and messages: random from the first character, so that eight characters identify one. */

import { randomBytes } from "node:crypto";

const letters = "0123456789abcdefghjkmnpqrstvwxyz";

export function newId(): string {
  return Array.from(randomBytes(20), (byte) => letters[byte % 32]).join("");
}
