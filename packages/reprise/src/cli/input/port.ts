/** Parses a port to listen on; 0 means any free port. */

import { UsageError } from "@reprise/core/errors/errors";

/** Ports that browsers and `fetch` refuse to connect to ("bad port" in the Fetch standard). */
const blocked: ReadonlySet<number> = new Set([
  ...[1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95],
  ...[101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179],
  ...[389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601],
  ...[636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

export function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535))
    throw new UsageError("bad-port", `"${text}" is not a port.`, "Use a number from 0 to 65535.");
  if (blocked.has(port))
    throw new UsageError(
      "blocked-port",
      `Browsers refuse to connect to port ${port}.`,
      "Use another port, such as 7777 or 8080.",
    );
  return port;
}
