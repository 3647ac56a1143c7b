/**
 * Agents: named identities, each with a provider and its settings. Classes: definitions from which agents
 * and nodes of workflows are made.
 */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "@reprise/core/api/parse";
import type {
  AgentClassView,
  AgentView,
  CreateAgent,
  CreateClass,
} from "@reprise/core/api/reprise";
import { createAgentSchema, createClassSchema } from "@reprise/core/api/schemas";
import { DeniedError, NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { command, option, slot, verb } from "@reprise/core/errors/hint";
import { suggest } from "@reprise/core/errors/suggestion";
import {
  type Access,
  accessLevels,
  defaultAccess,
  isAbove,
  lower,
} from "@reprise/core/session/access";
import { pathSettings, programSettings } from "@reprise/providers/manifest";
import type { Agent, AgentClass } from "@reprise/store/contract/agents";
import { actor, type Engine, providerAgent } from "./engine.ts";
import { checkOnDenied, effectiveAccess, requireLevel } from "./turn/access.ts";
import { workFolder } from "./turn/observe.ts";

export async function createAgent(engine: Engine, input: CreateAgent): Promise<AgentView> {
  const wanted = parse(createAgentSchema(), input);
  const base = wanted.class == null ? null : await readClass(engine, wanted.class);
  const agent: Agent = {
    name: wanted.name,
    class: base?.name ?? null,
    kind: wanted.kind ?? base?.kind ?? "interactive",
    provider: providerOf(wanted.provider ?? null, base),
    model: wanted.model ?? base?.model ?? null,
    folder: wanted.folder ? workFolder(wanted.folder, engine.cwd) : (base?.folder ?? null),
    sessions: wanted.sessions,
    settings: wanted.settings,
    access: defaultAccess,
    allowedCommands: wanted.allowedCommands ?? base?.allowedCommands ?? [],
    onDenied: wanted.onDenied ?? base?.onDenied ?? "note",
    hidden: false,
    createdAt: engine.now(),
  };
  const settings = { ...base?.settings, ...absolutePaths(engine, agent) };
  const access = wanted.access ?? base?.access ?? newAccess(engine, { ...agent, settings });
  const whole = { ...agent, settings, access };
  if (base && wanted.access == null) requireWithin(engine, base, `Class ${base.name}`);
  requireLevel(engine.provider(whole.provider), effectiveAccess(engine, whole));
  checkOnDenied(engine.provider(whole.provider), whole.onDenied);
  await engine.provider(whole.provider).validate(providerAgent(engine, whole));
  await engine.store.createAgent({ ...whole, by: actor(engine, wanted.by) });
  return agentView(engine, whole);
}

/** `edit`, or less if the user's maximum or the provider's settings say so, or if it enforces only less. */
function newAccess(
  engine: Engine,
  { provider, settings }: Pick<Agent, "provider" | "settings">,
): Access {
  const { given, levels } = engine.provider(provider).manifest.access;
  const allowed = lower(defaultAccess, engine.settings.maxAccess);
  const level = lower(allowed, given(settings) ?? allowed);
  const enforced = accessLevels.filter((each) => each in levels && !isAbove(each, level));
  return enforced.at(-1) ?? level;
}

/**
 * Only an explicit --access for one agent or one run may exceed the user's maximum.
 * @throws DeniedError `above-max-access`
 */
export function requireWithin(
  engine: Engine,
  definition: Pick<AgentClass, "provider" | "settings" | "access">,
  what: string,
): void {
  const { maxAccess } = engine.settings;
  const level = effectiveAccess(engine, definition);
  if (!isAbove(level, maxAccess)) return;
  throw new DeniedError(
    "above-max-access",
    `${what} gives access ${level}, but maxAccess in your settings is ${maxAccess}.`,
    `Give the agent access ${level} itself (${option("access")}), or raise maxAccess with ${command("config set", "maxAccess", level)}.`,
  );
}

export async function createClass(engine: Engine, input: CreateClass): Promise<AgentClassView> {
  const wanted = parse(createClassSchema(), input);
  const { name, provider, kind } = wanted;
  const agentClass: AgentClass = {
    name,
    kind,
    provider,
    model: wanted.model ?? null,
    folder: wanted.folder ? workFolder(wanted.folder, engine.cwd) : null,
    settings: absolutePaths(engine, wanted),
    access: wanted.access ?? newAccess(engine, wanted),
    allowedCommands: wanted.allowedCommands ?? [],
    onDenied: wanted.onDenied ?? "note",
    createdAt: engine.now(),
  };
  if (wanted.access != null) requireWithin(engine, agentClass, `Class ${name}`);
  requireLevel(engine.provider(provider), effectiveAccess(engine, agentClass));
  checkOnDenied(engine.provider(provider), agentClass.onDenied);
  await engine.provider(provider).validate(providerAgent(engine, agentClass));
  await engine.store.createClass({ ...agentClass, by: actor(engine, wanted.by) });
  return classView(engine, agentClass);
}

/** A class's settings apply only to its own provider. */
export function providerOf(wanted: string | null, base: AgentClass | null): string {
  if (base === null) {
    if (wanted !== null) return wanted;
    throw new UsageError(
      "no-provider-named",
      "An agent needs a provider, or a class that has one.",
      `Name one with ${option("provider")} or ${option("class")}.`,
    );
  }
  if (wanted === null || wanted === base.provider) return base.provider;
  throw new UsageError(
    "other-provider",
    `Class ${base.name} uses ${base.provider}, not ${wanted}.`,
    "Remove the provider, or name another class.",
  );
}

/** Makes paths absolute, because turns are sent from anywhere; relative ones are resolved from `base`. */
export function absolutePaths(
  engine: Pick<Engine, "provider" | "env" | "cwd">,
  { provider, settings }: Pick<Agent, "provider" | "settings">,
  base = engine.cwd,
): Record<string, string> {
  const { manifest } = engine.provider(provider);
  const [paths, programs] = [pathSettings(manifest), programSettings(manifest)];
  const absolute = (path: string) =>
    path.startsWith("~/") ? join(engine.env.HOME || homedir(), path.slice(2)) : resolve(base, path);
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      (paths.includes(name) && value !== "") || (programs.includes(name) && isRelative(value))
        ? absolute(value)
        : value,
    ]),
  );
}

/** A bare name is looked up on the PATH instead. */
function isRelative(program: string): boolean {
  return /^(\.\.?|~)\//.test(program);
}

export async function showAgent(engine: Engine, name: string): Promise<AgentView> {
  return agentView(engine, await readAgent(engine, name));
}

/** @throws NotFoundError `no-agent` */
export async function readAgent(engine: Engine, name: string): Promise<Agent> {
  const agent = await engine.store.readAgent(name);
  if (agent) return agent;
  throw new NotFoundError(
    "no-agent",
    `There is no agent ${name}.`,
    `${verb("agents.list")} shows the agents.`,
  );
}

/** @throws NotFoundError `no-class` */
export async function readClass(engine: Engine, name: string): Promise<AgentClass> {
  const agentClass = await engine.store.readClass(name);
  if (agentClass) return agentClass;
  const names = (await engine.store.listClasses()).map((each) => each.name);
  throw new NotFoundError(
    "no-class",
    `There is no class ${name}.`,
    names.length > 0
      ? suggest(name, names)
      : `Create it with ${verb("agents.createClass", { name, provider: slot("NAME") })}.`,
  );
}

/** Shows the effective access, counting what its settings give. */
export function agentView(engine: Engine, { hidden: _, ...agent }: Agent): AgentView {
  const { class: base, sessions } = agent;
  return { ...classView(engine, agent), class: base, sessions };
}

export function classView(engine: Engine, definition: AgentClass): AgentClassView {
  const { name, kind, provider, model, folder, settings, onDenied, createdAt } = definition;
  return {
    name,
    kind,
    provider,
    model,
    folder,
    settings: { ...settings },
    access: effectiveAccess(engine, definition),
    allowedCommands: [...definition.allowedCommands],
    onDenied,
    createdAt,
  };
}
