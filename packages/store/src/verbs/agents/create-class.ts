/** Writes a new class of agents. */

import { TerminalError } from "@reprise/core/errors/errors";
import { appendEvent, doneBy } from "../events/event.ts";
import type { Verb } from "../verb.ts";

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
