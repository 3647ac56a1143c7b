/** Decodes text that a person gives, and refuses bytes that are not UTF-8 instead of replacing them. */

import { isUtf8 } from "node:buffer";
import { UsageError } from "@reprise/core/errors/errors";

/** `what` begins the message: "The prompt". @throws UsageError `not-utf8` */
export function utf8Text(bytes: Buffer, what: string): string {
  if (!isUtf8(bytes))
    throw new UsageError(
      "not-utf8",
      `${what} is not valid UTF-8.`,
      "Save it as UTF-8, or convert it with iconv.",
    );
  return bytes.toString("utf8");
}
