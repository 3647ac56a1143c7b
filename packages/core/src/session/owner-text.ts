/** The owner of a turn or run, as messages name it. */

import type { ProcessIdentity } from "./turn.ts";

export function ownerText({ pid, host }: Pick<ProcessIdentity, "pid" | "host">): string {
  return `process ${pid} on ${host}`;
}
