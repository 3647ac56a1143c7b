/**
 * `plan`: what a start would do, with the same checks. Writes nothing, starts no program that the workflow
 * names, and reads none of its paths for a caller that may not run the workflow.
 */

import type { LookOptions, RunPlan, StartRun } from "@reprise/core/api/reprise";
import { TerminalError } from "@reprise/core/errors/errors";
import type { AgentNode, Graph } from "@reprise/workflow/graph";
import { describeNode } from "@reprise/workflow/node-description";
import type { Engine } from "../engine.ts";
import { prepareRun } from "./start.ts";

export async function planRun(
  engine: Engine,
  input: StartRun,
  { mayRun = true }: LookOptions = {},
): Promise<RunPlan> {
  const trust = mayRun ? "paths" : "nothing";
  const { wanted, graph, inputs, folder, loaded, unchecked } = await prepareRun(
    engine,
    input,
    trust,
  );
  if (wanted.id && (await engine.store.readRun(wanted.id)))
    throw new TerminalError(
      "run-exists",
      `Run ${wanted.id} already exists.`,
      "Choose another id, or let Reprise choose one.",
    );
  return {
    workflow: graph.name,
    inputs: { ...inputs },
    folder,
    warnings: [...loaded.warnings, ...unchecked].map((finding) => ({ ...finding })),
    steps: graph.nodes.map((node) => ({
      node: node.id,
      type: node.type,
      parent: node.parent,
      about: describeNode(node),
      session: node.type === "agent" ? sessionOf(graph, node) : null,
    })),
  };
}

/** The session key with RUN as a placeholder, because the run has no id yet. */
function sessionOf({ slug }: Graph, { id, session, mode, agentId }: AgentNode): string {
  if (mode === "inherit_resume") return `agent:${agentId}`;
  if (session === null) return `wf:RUN:agent:${id}`;
  const { name, scope } = session;
  if (scope === "run") return `wf:RUN:agent:${name}`;
  return scope === "workflow" ? `wf:${slug}:agent:${name}` : `wf:${slug}:trigger:ID:agent:${name}`;
}
