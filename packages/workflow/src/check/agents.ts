/** Checks agent nodes: that mode, session and agent fit together. */

import { UsageError } from "@reprise/core/errors/errors";
import { checkSchema } from "@reprise/core/prompt/structured-output";
import { checkSetting } from "@reprise/core/settings/agent-settings";
import { readSessionSettings } from "@reprise/core/settings/settings";
import { budgetSettings } from "../budget-settings.ts";
import { error, type Finding, quoted, warning } from "../finding.ts";
import type { Near } from "../findings.ts";
import type { AgentNode } from "../graph.ts";
import type { CheckOptions } from "./check.ts";
import type { ValidationIndex } from "./graph-index.ts";
import { ignoredKeywords } from "./ignored-keywords.ts";

export function checkAgents(index: ValidationIndex, near: Near, options: CheckOptions): Finding[] {
  const agents = [...index.nodes.values()].filter((node) => node.type === "agent");
  const sessions = new Set(agents.flatMap(({ id, session }) => [session?.name ?? id, id]));
  return agents.flatMap((node) => [
    ...modeProblem(node),
    ...promptProblem(node, index),
    ...forkProblem(node, sessions, near),
    ...refusalOf(node, () => node.outputSchema && checkSchema(node.outputSchema)),
    ...refusalOf(node, () => readSessionSettings(budgetSettings(node))),
    ...settingProblems(node, options),
    ...ignoredKeywords(node, near),
  ]);
}

/** What a run would refuse on every machine. */
function refusalOf(node: AgentNode, check: () => void): Finding[] {
  try {
    check();
    return [];
  } catch (refused) {
    if (!(refused instanceof UsageError)) throw refused;
    return [error(node, refused.code, `Node "${node.id}": ${refused.message}`, refused.hint)];
  }
}

/** A setting may have the name of its provider as prefix; a node that inherits has the provider of its agent. */
function settingProblems(node: AgentNode, { runners, unknownRunners }: CheckOptions): Finding[] {
  // A run that was started must stay readable when the provider has changed.
  if (runners === null || unknownRunners === "accept") return [];
  const inherits = node.mode === "inherit_fresh" || node.mode === "inherit_resume";
  return Object.entries(node.settings).flatMap(([written, value]) => {
    const [first = "", ...rest] = written.split(".");
    const isPrefixed = rest.length > 0 && runners.some(({ provider }) => provider === first);
    const name = isPrefixed ? first : inherits ? null : node.provider;
    const settings = runners.find(({ provider }) => provider === name)?.settings;
    if (name === null || settings === undefined) return [];
    const setting = isPrefixed ? rest.join(".") : written;
    return refusalOf(node, () => checkSetting({ name, settings }, setting, value));
  });
}

function modeProblem(node: AgentNode): Finding[] {
  const { id, mode, agentId } = node;
  if (mode === "inherit_fresh" || mode === "inherit_resume") {
    const findings: Finding[] = [];
    if (agentId === null)
      findings.push(
        error(
          node,
          "no-agent",
          `Node "${id}" inherits from an agent (${mode}), but names none.`,
          "Name it with agentId, or set mode: ephemeral.",
        ),
      );
    const excluded = (["session", "fork", "folder"] as const).filter((name) => node[name] !== null);
    if (mode === "inherit_resume" && excluded.length > 0)
      findings.push(
        error(
          node,
          "resume-excludes",
          `Node "${id}" resumes the agent's own session in the agent's own folder, so it cannot have ${quoted(excluded)}.`,
          "Remove it, or set mode: inherit_fresh.",
        ),
      );
    return findings;
  }
  if (node.provider !== null || node.agentClass !== null)
    return agentId === null
      ? []
      : [
          warning(
            node,
            "agent-unused",
            `Node "${id}" names the agent "${agentId}", but does not inherit from it.`,
            "Set mode: inherit_fresh or mode: inherit_resume, or remove the agent.",
          ),
        ];
  if (agentId !== null)
    return mode === null
      ? [
          warning(
            node,
            "no-mode",
            `Node "${id}" names the agent "${agentId}" but has no mode. Only an agent of kind background needs none: it continues its own session.`,
            "Set mode: inherit_resume to continue its own session, or mode: inherit_fresh for a new one.",
          ),
        ]
      : [
          error(
            node,
            "no-agent",
            `Node "${id}" names the agent "${agentId}", but does not inherit from it.`,
            "Set mode: inherit_fresh for a new session, or mode: inherit_resume to continue its own.",
          ),
        ];
  return [
    error(
      node,
      "no-agent",
      `Node "${id}" names no agent.`,
      "Give it a runner or an agentClass, or an agentId with mode: inherit_fresh.",
    ),
  ];
}

function promptProblem(node: AgentNode, { into }: ValidationIndex): Finding[] {
  const isFed = (into.get(node.id) ?? []).some(({ target }) => target.to === "input");
  const hasDefault = node.inputs.some((port) => port.default !== undefined);
  if (node.prompt !== null || isFed || hasDefault) return [];
  return [
    error(
      node,
      "no-prompt",
      `Node "${node.id}" has no prompt.`,
      "Write one, or wire a value to its input prompt.",
    ),
  ];
}

function forkProblem(node: AgentNode, sessions: ReadonlySet<string>, near: Near): Finding[] {
  const { id, fork, session } = node;
  if (fork === null) return [];
  if (session && session.name === fork.name && session.scope === fork.scope)
    return [
      error(
        node,
        "fork-of-itself",
        `Node "${id}" would start the session "${fork.name}" as a copy of itself.`,
        "Give the copy another name, or remove session or fork.",
      ),
    ];
  // In a wider scope, an earlier run may have created it.
  if (fork.scope !== "run" || (fork.name !== id && sessions.has(fork.name))) return [];
  return [
    error(
      node,
      "unknown-session",
      `Node "${id}" forks the session "${fork.name}", which no other node has.`,
      near(
        fork.name,
        [...sessions].filter((name) => name !== id),
        "Name the session, or the id, of an agent node.",
      ),
    ),
  ];
}
