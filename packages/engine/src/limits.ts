/** How many agents and shell scripts may run at once on this host. */

import { availableParallelism, totalmem } from "node:os";
import type { Engine } from "./engine.ts";

const perCore = 4;
const minAgents = 4;
/** The approximate memory use of an agent. */
const agentBytes = 400 * 1024 * 1024;

export function maxAgents({ settings }: Pick<Engine, "settings">): number {
  if (settings.maxAgents !== null) return settings.maxAgents;
  const byMemory = Math.floor(totalmem() / agentBytes);
  return Math.max(minAgents, Math.min(perCore * availableParallelism(), byMemory));
}

export function maxScripts({ settings }: Pick<Engine, "settings">): number {
  return settings.maxScripts ?? perCore * availableParallelism();
}
