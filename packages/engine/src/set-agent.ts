/** `agents.set`: changes an agent. Its next turns go by what it is then; what sessions have pinned stays. */

import { parse } from "@reprise/core/api/parse";
import type { AgentView, SetAgent } from "@reprise/core/api/reprise";
import { setAgentSchema } from "@reprise/core/api/schemas";
import { UsageError } from "@reprise/core/errors/errors";
import { withChanges } from "@reprise/core/settings/changes";
import { checkSettingName } from "@reprise/providers/settings";
import { absolutePaths, agentView, readAgent } from "./agents.ts";
import { type Engine, providerAgent } from "./engine.ts";
import { workFolder } from "./turn/folder.ts";

/** @throws NotFoundError `no-agent`; UsageError for what the agent can not be, and then nothing changes. */
export async function setAgent(engine: Engine, input: SetAgent): Promise<AgentView> {
  const { name, folder, settings, ...wanted } = parse(setAgentSchema, input);
  const agent = await readAgent(engine, name);
  if (agent.hidden)
    throw new UsageError(
      "agent-of-node",
      `Agent ${name} was made for nodes of workflows, and is what they say.`,
      "Change the workflow, or the agent or class that it names.",
    );
  const provider = engine.provider(agent.provider);
  // What is set is checked with all the rest; a name to be taken away may be one of an older version.
  for (const [setting, value] of Object.entries(settings))
    if (value === null && !Object.hasOwn(agent.settings, setting))
      checkSettingName(agent.provider, provider.traits, setting);
  const given = withChanges<string>({}, settings);
  const changes = { ...settings, ...absolutePaths(engine, { ...agent, settings: given }) };
  const whole = { ...agent, settings: withChanges(agent.settings, changes) };
  await provider.validate(providerAgent(engine, whole));
  const changed = await engine.store.setAgent({
    ...wanted,
    name,
    folder: folder && (await workFolder(folder, engine.cwd)),
    settings: changes,
    at: engine.now(),
  });
  return agentView(changed);
}
