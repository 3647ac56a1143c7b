/** Checks that every agent node of a workflow could work, its program included, before a run of it is written. */

import { DeniedError, NotFoundError, RepriseError, UsageError } from "@reprise/core/errors/errors";
import { checkSchema } from "@reprise/core/prompt/structured-output";
import type { Access } from "@reprise/core/session/access";
import { readSessionSettings } from "@reprise/core/settings/session-settings";
import type { Finding } from "@reprise/core/workflow/finding";
import type { AgentNode, Graph } from "@reprise/core/workflow/graph";
import { runnerProblem } from "@reprise/core/workflow/runners";
import { pathSettings, programSettings } from "@reprise/providers/manifest";
import type { Provider } from "@reprise/providers/provider";
import { type Engine, providerAgent } from "../../engine.ts";
import { requireAccess } from "../../turn/access.ts";
import { probe } from "../../turn/observe.ts";
import { placeIn } from "../bad-workflow.ts";
import { accessOfNode } from "./node-access.ts";
import { describeAgent } from "./node-agent.ts";
import { budgetSettings } from "./node-session.ts";

/**
 * What of the workflow's own settings is used while it is checked. `programs`: all, as a start does.
 * `paths`: files that it names are read, but no program that it names is started. `nothing`: neither, so
 * that the caller learns nothing about the machine. Agents and classes are the operator's, and always used.
 */
export type Trust = "programs" | "paths" | "nothing";

interface Checking {
  readonly folder: string;
  readonly trust: Trust;
  readonly access: Access | null;
  /** Programs that were found for the nodes before. */
  readonly programs: Set<string>;
}

/**
 * Relative paths in settings start from `folder`.
 * @returns a warning for each node with settings that were not used.
 * @throws the first mistake, with the place of its node.
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

/** Names of the settings that were not used. */
async function checkAgent(
  engine: Engine,
  node: AgentNode,
  { folder, trust, access, programs }: Checking,
): Promise<string[]> {
  // Who inherits works with the provider of the agent.
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
  // Where the workflow names the program, no other program would show what a run meets.
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

/** Those settings of the node that name a program, a file or a folder. */
function localSettings(engine: Engine, { settings }: AgentNode, { manifest }: Provider): string[] {
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
    message: `Node "${id}": ${names.join(" and ")} of the workflow ${names.length === 1 ? "was" : "were"} not checked.`,
    hint: "A plan starts no program that a workflow names, and looks at its paths only for an operator; a run does both.",
    position,
  };
}

/** What is not there stays "not found"; all else is a mistake in the file. */
function atNode(
  { id, position }: AgentNode,
  path: string | null,
  error: RepriseError,
): RepriseError {
  const message = `${placeIn(path, position)}Node "${id}": ${error.message}`;
  const Kind = [NotFoundError, DeniedError].find((kind) => error instanceof kind) ?? UsageError;
  return new Kind(error.code, message, error.hint, { cause: error });
}
