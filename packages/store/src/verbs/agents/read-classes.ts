/** Reads one class of agents, or all in the order of their names. */

import type { OnDenied } from "@reprise/core/session/access";
import type { AgentClass } from "../../contract/agents.ts";
import { fromJson } from "../json.ts";
import type { Verb } from "../verb.ts";

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
