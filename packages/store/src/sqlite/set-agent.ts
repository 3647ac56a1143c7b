/** Changes an agent: what is named becomes so, and a setting that is null is taken away. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { withChanges } from "@reprise/core/settings/changes";
import { appendEvent } from "./event.ts";
import { readAgent } from "./read-agents.ts";
import type { Verb } from "./verb.ts";

export const setAgent: Verb<"setAgent"> = (db, { name, settings: changes, at, ...named }) => {
  const agent = readAgent(db, name);
  if (agent === null)
    throw new NotFoundError(
      "no-agent",
      `There is no agent ${name}.`,
      "reprise agent list shows them.",
    );
  const { kind, model, folder, sessions } = agent;
  const before: Readonly<Record<string, string | null>> = { kind, model, folder, sessions };
  const changed = Object.fromEntries(
    Object.entries(named).filter(
      ([field, value]) => value !== undefined && value !== before[field],
    ),
  );
  const reset = Object.keys(changes).filter(
    (setting) => (agent.settings[setting] ?? null) !== changes[setting],
  );
  if (Object.keys(changed).length + reset.length === 0) return agent;

  const settings = withChanges(agent.settings, changes);
  const whole = { ...agent, ...changed, settings };
  db.run(
    `UPDATE agent SET kind = :kind, model = :model, folder = :folder, sessions = :sessions,
       settings = :settings
     WHERE name = :name`,
    {
      name,
      kind: whole.kind,
      model: whole.model,
      folder: whole.folder,
      sessions: whole.sessions,
      settings: JSON.stringify(settings),
    },
  );
  // Settings may hold anybody's words, and more: the event only names them.
  const data = { ...changed, ...(reset.length > 0 && { settings: reset.toSorted() }) };
  appendEvent(db, `agent:${name}`, { type: "agent.changed", data }, at);
  return whole;
};
