/**
 * `agents.set` and `agents.setClass`: change an agent, or a class. An agent's next turns go by what it is then; what
 * sessions have pinned stays. A class is read when an agent is made from it, and for each turn of a node that
 * names it, so a change holds for those that come; agents that were made from it stay as they are.
 */

import { parse } from "@reprise/core/api/parse";
import type { AgentView, SetAgent, SetClass } from "@reprise/core/api/reprise";
import { setAgentSchema, setClassSchema } from "@reprise/core/api/schemas";
import { UsageError } from "@reprise/core/errors/errors";
import { withChanges } from "@reprise/core/settings/changes";
import { checkSettingName } from "@reprise/providers/settings";
import type { AgentClass, ClassChange } from "@reprise/store/store";
import { absolutePaths, agentView, readAgent, readClass } from "./agents.ts";
import { type Engine, providerAgent } from "./engine.ts";
import { workFolder } from "./turn/folder.ts";

/** @throws NotFoundError `no-agent`; UsageError for what the agent can not be, and then nothing changes. */
export async function setAgent(engine: Engine, input: SetAgent): Promise<AgentView> {
  const wanted = parse(setAgentSchema, input);
  const agent = await readAgent(engine, wanted.name);
  if (agent.hidden)
    throw new UsageError(
      "agent-of-node",
      `Agent ${agent.name} was made for nodes of workflows, and is what they say.`,
      "Change the workflow, or the agent or class that it names.",
    );
  return agentView(await engine.store.setAgent(await checked(engine, agent, wanted)));
}

/** @throws NotFoundError `no-class`; UsageError for what its agents can not be, and then nothing changes. */
export async function setClass(engine: Engine, input: SetClass): Promise<AgentClass> {
  const wanted = parse(setClassSchema, input);
  const agentClass = await readClass(engine, wanted.name);
  return engine.store.setClass(await checked(engine, agentClass, wanted));
}

/** The change with paths that mean the same everywhere, when its provider takes what comes of it. */
async function checked<Wanted extends Omit<ClassChange, "at">>(
  engine: Engine,
  before: AgentClass,
  wanted: Wanted,
): Promise<Wanted & ClassChange> {
  const { folder, settings } = wanted;
  const provider = engine.provider(before.provider);
  // What is set is checked with all the rest; a name to be taken away may be one of an older version.
  for (const [setting, value] of Object.entries(settings))
    if (value === null && !Object.hasOwn(before.settings, setting))
      checkSettingName(before.provider, provider.traits, setting);
  const given = withChanges<string>({}, settings);
  const changes = { ...settings, ...absolutePaths(engine, { ...before, settings: given }) };
  const whole = { ...before, settings: withChanges(before.settings, changes) };
  await provider.validate(providerAgent(engine, whole));
  return {
    ...wanted,
    folder: folder && workFolder(folder, engine.cwd),
    settings: changes,
    at: engine.now(),
  };
}
