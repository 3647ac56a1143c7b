/** Checks, before a run is created, that every agent node can run, including its program. */

import { DeniedError, NotFoundError, RepriseError, UsageError } from "@reprise/core/errors/errors";
import { checkSchema } from "@reprise/core/prompt/structured-output";
import type { Access } from "@reprise/core/session/access";
import { readSessionSettings } from "@reprise/core/settings/settings";
import { pathSettings, programSettings } from "@reprise/providers/manifest";
import type { Provider } from "@reprise/providers/provider";
import { budgetSettings } from "@reprise/workflow/budget-settings";
import type { Finding } from "@reprise/workflow/finding";
import type { AgentNode, Graph } from "@reprise/workflow/graph";
import { runnerProblem } from "@reprise/workflow/runners";
import { type Engine, providerAgent } from "../../engine.ts";
import { requireAccess } from "../../turn/access.ts";
import { probe } from "../../turn/observe.ts";
import { placeIn } from "./bad-workflow.ts";
import { accessOfNode } from "./node-access.ts";
import { describeAgent } from "./node-agent.ts";

/**
 * Which settings of the workflow may be used while it is checked. `programs`: all, as a start does.
 * `paths`: files that it names are read, but programs that it names are not started. `nothing`: neither, so
 * that the caller learns nothing about the machine. Agents and classes belong to the operator and are always used.
 */
export type Trust = "programs" | "paths" | "nothing";

interface Checking {
  readonly folder: string;
  readonly trust: Trust;
  readonly access: Access | null;
  /** Programs that were already found for earlier nodes. */
  readonly programs: Set<string>;
}

/**
 * Relative paths in settings are resolved from `folder`.
 * @returns a warning for each node with settings that were not checked.
 * @throws the first error, with the position of its node.
 */
export async function checkAgents(
  engine: Engine,
  { nodes }: Graph,
  {
    folder = engine.cwd,
    path = null,
    trust = "programs",
    access = null,
  }: { folder?: string; path?: string | null; trust?: Trust; access?: Access | null } = {},
): Promise<Finding[]> {
  const checking = { folder, trust, access, programs: new Set<string>() };
  const unchecked: Finding[] = [];
  for (const node of nodes)
    if (node.type === "agent")
      try {
        const unused = await checkAgent(engine, node, checking);
        if (unused.length > 0) unchecked.push(notChecked(node, unused));
      } catch (error) {
        throw error instanceof RepriseError ? atNode(node, path, error) : error;
      }
  return unchecked;
}

/** Returns the names of the settings that were not checked. */
async function checkAgent(
  engine: Engine,
  node: AgentNode,
  { folder, trust, access, programs }: Checking,
): Promise<string[]> {
  // A node that inherits uses the provider of its agent.
  const isOwn = node.mode === null || node.mode === "ephemeral";
  const problem =
    isOwn && node.provider !== null ? runnerProblem(node.provider, engine.providers.runners) : null;
  if (problem) throw new UsageError("not-supported", problem.message, problem.hint);
  const whole = await describeAgent(engine, node, folder);
  const provider = engine.provider(whole.provider);
  const granted = await accessOfNode(engine, node, whole.provider, access);
  const local = trust === "programs" ? [] : localSettings(engine, node, provider);
  const { settings } =
    local.length === 0 ? whole : await describeAgent(engine, without(node, local), folder);
  const program = JSON.stringify([provider.manifest.name, settings]);
  const agent = providerAgent(engine, { name: node.id, settings });
  requireAccess(provider, agent, {
    level: granted.access ?? "full",
    named: granted.access !== null,
  });
  const isProgram = (setting: string) =>
    isNamed(engine, setting, programSettings(provider.manifest));
  // If the workflow names a program that we may not start, probing another one would prove nothing.
  if (local.some(isProgram)) await provider.validate(agent);
  else if (!programs.has(program)) {
    await probe(engine, { provider, providerAgent: agent }, { writes: false });
    programs.add(program);
  }
  if (trust === "paths" && local.length > 0)
    await provider.validate(providerAgent(engine, { name: node.id, settings: whole.settings }));
  if (node.outputSchema) checkSchema(node.outputSchema);
  readSessionSettings(budgetSettings(node));
  return trust === "paths" ? local.filter(isProgram) : local;
}

/** The node's settings that name a program, a file or a folder. */
export function localSettings(
  engine: Engine,
  { settings }: AgentNode,
  { manifest }: Provider,
): string[] {
  const local = [...pathSettings(manifest), ...programSettings(manifest)];
  return Object.keys(settings).filter((name) => isNamed(engine, name, local));
}

/** Also as `codex.binary`. */
function isNamed({ providers }: Engine, setting: string, names: readonly string[]): boolean {
  const [first = "", ...rest] = setting.split(".");
  return names.includes(providers.names.includes(first) ? rest.join(".") : setting);
}

function without(node: AgentNode, names: readonly string[]): AgentNode {
  const kept = Object.entries(node.settings).filter(([name]) => !names.includes(name));
  return { ...node, settings: Object.fromEntries(kept) };
}

function notChecked({ id, position }: AgentNode, names: readonly string[]): Finding {
  return {
    severity: "warning",
    code: "not-checked",
    message: `Node "${id}": the workflow's ${names.join(" and ")} ${names.length === 1 ? "was" : "were"} not checked.`,
    hint: "A plan starts no program that a workflow names, and reads its paths only for an operator. A run does both.",
    position,
    node: id,
    port: null,
  };
}

/** Keeps "not found" and "denied"; every other error is a mistake in the file. */
function atNode(
  { id, position }: AgentNode,
  path: string | null,
  error: RepriseError,
): RepriseError {
  const message = `${placeIn(path, position)}Node "${id}": ${error.message}`;
  const Kind = [NotFoundError, DeniedError].find((kind) => error instanceof kind) ?? UsageError;
  return new Kind(error.code, message, error.hint, { cause: error });
}
