/** Reads one agent, or all but the hidden ones in the order of their names. */

import type { Agent } from "../store.ts";
import { fromJson } from "./json.ts";
import type { Verb } from "./verb.ts";

interface AgentRow extends Omit<Agent, "settings" | "hidden" | "createdAt"> {
  settings: string;
  hidden: number;
  created_at: number;
}

const columns =
  "name, class, kind, provider, model, folder, sessions, settings, hidden, created_at";

export const readAgent: Verb<"readAgent"> = (db, name) => {
  const row = db.get<AgentRow>(`SELECT ${columns} FROM agent WHERE name = :name`, { name });
  return row ? agentFrom(row) : null;
};

export const listAgents: Verb<"listAgents"> = (db) =>
  db.all<AgentRow>(`SELECT ${columns} FROM agent WHERE hidden = 0 ORDER BY name`).map(agentFrom);

function agentFrom({ created_at, settings, hidden, ...row }: AgentRow): Agent {
  return { ...row, settings: fromJson(settings), hidden: hidden === 1, createdAt: created_at };
}
