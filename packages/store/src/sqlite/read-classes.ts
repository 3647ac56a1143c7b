/** Reads one class of agents, or all in the order of their names. */

import type { AgentClass } from "../store.ts";
import { fromJson } from "./json.ts";
import type { Verb } from "./verb.ts";

interface ClassRow extends Omit<AgentClass, "settings" | "createdAt"> {
  settings: string;
  created_at: number;
}

const columns = "name, kind, provider, model, folder, settings, created_at";

export const readClass: Verb<"readClass"> = (db, name) => {
  const row = db.get<ClassRow>(`SELECT ${columns} FROM agent_class WHERE name = :name`, { name });
  return row ? classFrom(row) : null;
};

export const listClasses: Verb<"listClasses"> = (db) =>
  db.all<ClassRow>(`SELECT ${columns} FROM agent_class ORDER BY name`).map(classFrom);

function classFrom({ created_at, settings, ...row }: ClassRow): AgentClass {
  return { ...row, settings: fromJson(settings), createdAt: created_at };
}
