/** The verbs of agents. */

import { NotFoundError, TerminalError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import type { OnDenied } from "@reprise/core/session/access";
import type { Agent } from "../../contract/agents.ts";
import { appendEvent, doneBy } from "../events/events.ts";
import { fromJson, lockName } from "../row.ts";
import type { Verb } from "../verb.ts";
import { changeOf } from "./definition-change.ts";

// Reads one agent, that of a session, or all except hidden ones in the order of their names.

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
  const found = yield* db.last((last) =>
    last.get<{ wanted: string | null } & { [Name in keyof AgentRow]: AgentRow[Name] | null }>(
      `SELECT wanted, ${columns}
       FROM (SELECT coalesce(CAST(:named AS TEXT), (SELECT agent FROM session WHERE key = :key),
         CAST(:otherwise AS TEXT)) AS wanted) AS asked
       LEFT JOIN agent ON agent.name = wanted`,
      { key, named, otherwise },
    ),
  );
  const { wanted, ...row } = found!;
  return { name: wanted, agent: row.name === null ? null : agentFrom(row as AgentRow) };
};

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

/** Writes a new agent. */
export const createAgent: Verb<"createAgent"> = function* (db, agent) {
  const { name, kind, provider, model, folder, sessions, access, onDenied, createdAt } = agent;
  const inserted = yield* db.change(
    `INSERT INTO agent (name, class, kind, provider, model, folder, sessions, settings, access,
       allowed_commands, on_denied, hidden, created_at)
     VALUES (:name, :class, :kind, :provider, :model, :folder, :sessions, :settings, :access,
       :allowedCommands, :onDenied, :hidden, :createdAt)
     ON CONFLICT (name) DO NOTHING`,
    {
      name,
      class: agent.class,
      kind,
      provider,
      model,
      folder,
      sessions,
      settings: JSON.stringify(agent.settings),
      access,
      allowedCommands: JSON.stringify(agent.allowedCommands),
      onDenied,
      hidden: agent.hidden ? 1 : 0,
      createdAt,
    },
  );
  if (inserted === 0)
    throw new TerminalError(
      "agent-exists",
      `An agent named ${name} already exists.`,
      "Choose another name.",
    );
  yield* appendEvent(
    db,
    `agent:${name}`,
    { type: "agent.created", data: { provider, kind, access, ...doneBy(agent) } },
    createdAt,
  );
};

/** Changes the named fields of an agent; null removes a setting. */
export const setAgent: Verb<"setAgent"> = function* (db, set) {
  yield* lockName(db, `agent:${set.name}`);
  const { name, at } = set;
  const agent = yield* readAgent(db, name);
  if (agent === null)
    throw new NotFoundError(
      "no-agent",
      `There is no agent ${name}.`,
      `${verb("agents.list")} shows the agents.`,
    );
  const change = changeOf(agent, set);
  if (change === null) return agent;

  const { kind, model, folder, sessions, settings, access, allowedCommands, onDenied } =
    change.after;
  yield* db.run(
    `UPDATE agent SET kind = :kind, model = :model, folder = :folder, sessions = :sessions,
       settings = :settings, access = :access, allowed_commands = :allowedCommands,
       on_denied = :onDenied
     WHERE name = :name`,
    {
      name,
      kind,
      model,
      folder,
      sessions,
      settings: JSON.stringify(settings),
      access,
      allowedCommands: JSON.stringify(allowedCommands),
      onDenied,
    },
  );
  yield* appendEvent(db, `agent:${name}`, { type: "agent.changed", data: change.data }, at);
  return change.after;
};
