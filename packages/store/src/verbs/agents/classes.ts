/** The verbs of classes of agents. */

import { NotFoundError, TerminalError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import type { OnDenied } from "@reprise/core/session/access";
import type { AgentClass } from "../../contract/agents.ts";
import { appendEvent, doneBy } from "../events/events.ts";
import { fromJson, lockName } from "../row.ts";
import type { Verb } from "../verb.ts";
import { changeOf } from "./definition-change.ts";

// Reads one class of agents, or all in the order of their names.

interface ClassRow
  extends Omit<AgentClass, "settings" | "createdAt" | "allowedCommands" | "onDenied"> {
  settings: string;
  allowed_commands: string;
  on_denied: OnDenied;
  created_at: number;
}

const columns =
  "name, kind, provider, model, folder, settings, access, allowed_commands, on_denied, created_at";

export const readClass: Verb<"readClass"> = function* (db, name) {
  const row = yield* db.get<ClassRow>(`SELECT ${columns} FROM agent_class WHERE name = :name`, {
    name,
  });
  return row ? classFrom(row) : null;
};

export const listClasses: Verb<"listClasses"> = function* (db) {
  return (yield* db.all<ClassRow>(`SELECT ${columns} FROM agent_class ORDER BY name`)).map(
    classFrom,
  );
};

function classFrom(row: ClassRow): AgentClass {
  const { created_at, settings, allowed_commands, on_denied, ...rest } = row;
  return {
    ...rest,
    settings: fromJson(settings),
    allowedCommands: fromJson(allowed_commands),
    onDenied: on_denied,
    createdAt: created_at,
  };
}

/** Writes a new class of agents. */
export const createClass: Verb<"createClass"> = function* (db, agentClass) {
  const { name, kind, provider, model, folder, settings, access, onDenied, createdAt } = agentClass;
  const inserted = yield* db.change(
    `INSERT INTO agent_class (name, kind, provider, model, folder, settings, access,
       allowed_commands, on_denied, created_at)
     VALUES (:name, :kind, :provider, :model, :folder, :settings, :access,
       :allowedCommands, :onDenied, :createdAt)
     ON CONFLICT (name) DO NOTHING`,
    {
      name,
      kind,
      provider,
      model,
      folder,
      settings: JSON.stringify(settings),
      access,
      allowedCommands: JSON.stringify(agentClass.allowedCommands),
      onDenied,
      createdAt,
    },
  );
  if (inserted === 0)
    throw new TerminalError(
      "class-exists",
      `A class named ${name} already exists.`,
      "Choose another name.",
    );
  yield* appendEvent(
    db,
    `class:${name}`,
    { type: "class.created", data: { provider, kind, access, ...doneBy(agentClass) } },
    createdAt,
  );
};

/** Changes a class; agents that were created from it do not change. */
export const setClass: Verb<"setClass"> = function* (db, set) {
  yield* lockName(db, `class:${set.name}`);
  const { name, at } = set;
  const agentClass = yield* readClass(db, name);
  if (agentClass === null)
    throw new NotFoundError(
      "no-class",
      `There is no class ${name}.`,
      `${verb("agents.listClasses")} shows the classes.`,
    );
  const change = changeOf(agentClass, set);
  if (change === null) return agentClass;

  const { kind, model, folder, settings, access, allowedCommands, onDenied } = change.after;
  yield* db.run(
    `UPDATE agent_class SET kind = :kind, model = :model, folder = :folder, settings = :settings,
       access = :access, allowed_commands = :allowedCommands, on_denied = :onDenied
     WHERE name = :name`,
    {
      name,
      kind,
      model,
      folder,
      settings: JSON.stringify(settings),
      access,
      allowedCommands: JSON.stringify(allowedCommands),
      onDenied,
    },
  );
  yield* appendEvent(db, `class:${name}`, { type: "class.changed", data: change.data }, at);
  return change.after;
};
