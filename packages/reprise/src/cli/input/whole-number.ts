/** A count above zero. */

import { UsageError } from "@reprise/core/errors/errors";

export function wholeNumber(text: string): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number > 0) return number;
  throw new UsageError(
    "bad-number",
    `"${text}" is not a whole number above zero.`,
    "Write digits only, as in 20.",
  );
}
