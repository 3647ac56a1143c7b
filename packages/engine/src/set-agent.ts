/**
 * `agents.set` and `agents.setClass`: change an agent or a class. A changed agent applies from its next turn on;
 * pins of sessions stay. A class is read when an agent is created from it and for each turn of a node that
 * names it; agents that were already created from it do not change.
 */

import { parse } from "@reprise/core/api/parse";
import type { AgentClassView, ChangedAgent, SetAgent, SetClass } from "@reprise/core/api/reprise";
import { setAgentSchema, setClassSchema } from "@reprise/core/api/schemas";
import { UsageError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import { lower } from "@reprise/core/session/access";
import type { Notice } from "@reprise/core/session/decision";
import { agentSettingSchema } from "@reprise/core/settings/agent-settings";
import { withChanges } from "@reprise/core/settings/changes";
import type { Agent, AgentClass, ClassChange } from "@reprise/store/contract/agents";
import {
  absolutePaths,
  agentView,
  classView,
  readAgent,
  readClass,
  requireWithin,
} from "./agents.ts";
import { actor, type Engine, providerAgent } from "./engine.ts";
import { checkOnDenied, effectiveAccess, requireLevel } from "./turn/access.ts";
import { lastFolder, workFolder } from "./turn/observe.ts";

/** @throws NotFoundError `no-agent`; UsageError for an invalid change. Then nothing changes. */
export async function setAgent(engine: Engine, input: SetAgent): Promise<ChangedAgent> {
  const wanted = parse(setAgentSchema(), input);
  const agent = await readAgent(engine, wanted.name);
  if (agent.hidden)
    throw new UsageError(
      "agent-of-node",
      `Agent ${agent.name} was created for nodes of workflows and cannot be changed.`,
      "Change the workflow, or the agent or class that it names.",
    );
  const changed = await engine.store.setAgent(await checked(engine, agent, wanted));
  const notices = changed.folder === agent.folder ? [] : await elsewhere(engine, changed);
  return { ...agentView(engine, changed), notices };
}

/** The maximum number of sessions to name. */
const maxNamed = 10;

/** A key stays in its folder, so name the sessions that work elsewhere. */
async function elsewhere({ store }: Engine, { name, folder }: Agent): Promise<Notice[]> {
  const stay: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.listSessions({ agent: name, limit: 200, ...(after && { after }) });
    for (const { key } of page) {
      const pin = (await store.listPins(key)).find(({ agent }) => agent === name);
      const own = pin?.folder ?? (await lastFolder(store, key));
      if (own !== null && own !== folder) stay.push(key);
    }
    after = page.at(-1)?.key;
    if (after === undefined) break;
  }
  if (stay.length === 0) return [];
  const more = stay.length > maxNamed ? ` and ${stay.length - maxNamed} more` : "";
  const what = stay.length === 1 ? "Session" : "Sessions";
  const text = `${what} ${stay.slice(0, maxNamed).join(", ")}${more} ${stay.length === 1 ? "stays" : "stay"} in the previous folder; ${verb("sessions.move", { key: slot("KEY"), folder: slot("DIR") })} moves one.`;
  return [{ code: "folder-kept", text }];
}

/** @throws NotFoundError `no-class`; UsageError for an invalid change. Then nothing changes. */
export async function setClass(engine: Engine, input: SetClass): Promise<AgentClassView> {
  const wanted = parse(setClassSchema(), input);
  const agentClass = await readClass(engine, wanted.name);
  const change = await checked(engine, agentClass, wanted);
  const { access = agentClass.access } = change;
  const settings = withChanges(agentClass.settings, change.settings);
  // It keeps the access that it has, but cannot be given more than the user's maximum.
  if (wanted.access !== undefined)
    requireWithin(engine, { ...agentClass, access, settings }, `Class ${wanted.name}`);
  return classView(engine, await engine.store.setClass(change));
}

/** The change with absolute paths, after its provider has validated the result. */
async function checked<Wanted extends Omit<ClassChange, "at">>(
  engine: Engine,
  before: AgentClass,
  wanted: Wanted,
): Promise<Wanted & ClassChange> {
  const { folder, settings } = wanted;
  const provider = engine.provider(before.provider);
  // New values are validated below; a name to remove may come from an older version.
  for (const [setting, value] of Object.entries(settings))
    if (value === null && !Object.hasOwn(before.settings, setting))
      agentSettingSchema(provider.manifest, setting);
  const named = withChanges<string>({}, settings);
  const changes = { ...settings, ...absolutePaths(engine, { ...before, settings: named }) };
  const whole = { ...before, settings: withChanges(before.settings, changes) };
  await provider.validate(providerAgent(engine, whole));
  checkOnDenied(provider, wanted.onDenied ?? before.onDenied);
  // A setting that gives less than the agent's access lowers it; otherwise `sandbox=read-only` would have no effect.
  const given = provider.manifest.access.given(whole.settings);
  const isNew = given !== null && given !== provider.manifest.access.given(before.settings);
  const access = wanted.access ?? (isNew ? lower(before.access, given) : undefined);
  requireLevel(provider, effectiveAccess(engine, { ...whole, access: access ?? before.access }));
  return {
    ...wanted,
    access,
    folder: folder && workFolder(folder, engine.cwd),
    settings: changes,
    by: actor(engine, wanted.by),
    at: engine.now(),
  };
}
