/** `usage`: what sessions used and what resuming them saved, and how each number is known. */

import { parse } from "@reprise/core/api/parse";
import type { UsageQuery, UsageReport } from "@reprise/core/api/reprise";
import { usageQuerySchema } from "@reprise/core/api/schemas";
import { emptySum, usageFigures } from "@reprise/core/usage/report";
import { showAgent } from "./agents.ts";
import type { Engine } from "./engine.ts";
import { readSession } from "./session/sessions.ts";

export async function usage(engine: Engine, input: UsageQuery = {}): Promise<UsageReport> {
  const { key, agent, since, limit } = parse(usageQuerySchema(), input);
  if (key) await readSession(engine, key);
  if (agent) await showAgent(engine, agent);
  const of = { ...(key && { key }), ...(agent && { agent }), ...(since != null && { since }) };
  const sum = engine.store.sumUsage;
  const [total] = await sum({ by: "all", ...of });
  const sessions = await sum({ by: "session", ...of, limit });
  const turns = key ? await sum({ by: "turn", ...of, limit }) : null;
  return {
    since: since ?? null,
    sessions: sessions.map((row) => ({
      key: row.key,
      agent: row.agent,
      provider: row.provider,
      ...usageFigures(row),
    })),
    turns:
      turns?.map((row) => ({
        ...row.turn,
        agent: row.agent,
        provider: row.provider,
        ...usageFigures(row),
      })) ?? null,
    total: usageFigures(total ?? emptySum),
  };
}
