/** Changes a class; agents that were created from it do not change. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import { appendEvent } from "../events/event.ts";
import { lockName } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { changeOf } from "./definition-change.ts";
import { readClass } from "./read-classes.ts";

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
