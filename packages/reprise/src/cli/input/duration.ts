/** A length of time that a person typed. */

import { UsageError } from "@reprise/core/errors/errors";
import { parseDuration } from "@reprise/core/settings/duration";

/** The time in milliseconds. */
export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds) return milliseconds;
  throw new UsageError(
    "bad-duration",
    `"${text}" is not a length of time.`,
    "Write a whole number above zero with ms, s, m, h or d behind it, as in 90s or 10m.",
  );
}
