/**
 * `plan`: what a start would do, with the same checks. Writes nothing, starts no program that the workflow
 * names, and reads none of its paths for a caller that may not run the workflow.
 */

import type { LookOptions, RunPlan, StartRun } from "@reprise/core/api/reprise";
import { TerminalError } from "@reprise/core/errors/errors";
import { describeNode } from "@reprise/workflow/node-description";
import type { Engine } from "../engine.ts";
import { type PlannedTurn, plannedKey, plannedTurns } from "./planned-turns.ts";
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
  const { id = null, trigger = null, continuity = null } = wanted;
  const planned = { graph, inputs, folder, id, trigger, continuity };
  // How a session would begin depends on the machine's files and programs.
  const turns = mayRun ? await plannedTurns(engine, planned) : new Map<string, PlannedTurn>();
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
      session: node.type === "agent" ? plannedKey(planned, node) : null,
      turn: turns.get(node.id) ?? null,
    })),
  };
}
