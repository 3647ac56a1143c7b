/** The server's log: one JSON object for each line, without secrets. */

import { redact } from "@reprise/core/session/redact";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface LogOptions {
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  readonly secrets: readonly string[];
  readonly now: () => number;
}

export function createLog({ level: least, write, secrets, now }: LogOptions): Log {
  return (level, message, fields = {}) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
    const line = JSON.stringify({ at: new Date(now()).toISOString(), level, message, ...fields });
    write(`${redact(line, secrets)}\n`);
  };
}
