/** A port of this machine; 0 takes any that is free. */

import { UsageError } from "@reprise/core/errors/errors";

export function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError("bad-port", `"${text}" is no port.`, "Use a number from 0 to 65535.");
}
