/** Changes the named fields of an agent; null removes a setting. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import { appendEvent } from "../events/event.ts";
import { lockName } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { changeOf } from "./definition-change.ts";
import { readAgent } from "./read-agents.ts";

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
