/** Reads one agent, that of a session, or all except hidden ones in the order of their names. */

import type { OnDenied } from "@reprise/core/session/access";
import type { Agent } from "../../contract/agents.ts";
import type { Db, Query } from "../db.ts";
import { fromJson } from "../json.ts";
import type { Verb } from "../verb.ts";

interface AgentRow
  extends Omit<Agent, "settings" | "hidden" | "createdAt" | "allowedCommands" | "onDenied"> {
  settings: string;
  allowed_commands: string;
  on_denied: OnDenied;
  hidden: number;
  created_at: number;
}

const columns =
  "name, class, kind, provider, model, folder, sessions, settings, access, allowed_commands, on_denied, hidden, created_at";

export const readAgent: Verb<"readAgent"> = function* (db, name) {
  const row = yield* db.get<AgentRow>(`SELECT ${columns} FROM agent WHERE name = :name`, { name });
  return row ? agentFrom(row) : null;
};

export const findAgent: Verb<"findAgent"> = function* (db, { key, named, otherwise }) {
  const name = named ?? (yield* agentOfSession(db, key)) ?? otherwise;
  return { name, agent: name === null ? null : yield* readAgent(db, name) };
};

function* agentOfSession(db: Db, key: string): Query<string | null> {
  const row = yield* db.get<{ agent: string }>("SELECT agent FROM session WHERE key = :key", {
    key,
  });
  return row?.agent ?? null;
}

export const listAgents: Verb<"listAgents"> = function* (db) {
  return (yield* db.all<AgentRow>(
    `SELECT ${columns} FROM agent WHERE hidden = 0 ORDER BY name`,
  )).map(agentFrom);
};

function agentFrom(row: AgentRow): Agent {
  const { created_at, settings, hidden, allowed_commands, on_denied, ...rest } = row;
  return {
    ...rest,
    settings: fromJson(settings),
    allowedCommands: fromJson(allowed_commands),
    onDenied: on_denied,
    hidden: hidden === 1,
    createdAt: created_at,
  };
}
