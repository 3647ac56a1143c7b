/** Parses a duration such as `90s`. */

import { UsageError } from "@reprise/core/errors/errors";
import { parseDuration } from "@reprise/core/text/duration";

/** The time in milliseconds. */
export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds) return milliseconds;
  throw new UsageError(
    "bad-duration",
    `"${text}" is not a duration.`,
    "Write a whole number above zero and a unit (ms, s, m, h or d), as in 90s or 10m.",
  );
}
