/** Writes a new agent. */

import { TerminalError } from "@reprise/core/errors/errors";
import { appendEvent, doneBy } from "../events/event.ts";
import type { Verb } from "../verb.ts";

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
