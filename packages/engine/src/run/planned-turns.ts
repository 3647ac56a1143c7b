/**
 * How the first turn of each agent node would begin now. Writes nothing, and starts no program that the workflow
 * names.
 */

import type { DecisionView, RunPlan } from "@reprise/core/api/reprise";
import { errorView } from "@reprise/core/errors/errors";
import type { AgentNode, Graph } from "@reprise/workflow/graph";
import type { NamedValues } from "@reprise/workflow/run/event";
import type { Engine } from "../engine.ts";
import { explain } from "../session/explain.ts";
import { localSettings } from "./work/check-agents.ts";
import { isItself, plannedNodeTurn } from "./work/node-agent.ts";
import { folderOf } from "./work/node-session.ts";

export interface Planned {
  readonly graph: Graph;
  readonly inputs: NamedValues;
  /** The run's folder, and its id if that is chosen already. */
  readonly folder: string;
  readonly id: string | null;
  readonly trigger: string | null;
  readonly continuity: "reseed" | "blank" | null;
}

export type PlannedTurn = NonNullable<RunPlan["steps"][number]["turn"]>;

/** The key of a node's first turn; `RUN` and `ID` are placeholders. */
export function plannedKey(planned: Planned, node: AgentNode): string {
  const { graph, id, trigger } = planned;
  const given = givenKey(planned, node);
  if (node.agentId !== null && (node.mode === "inherit_resume" || (isItself(node) && !given)))
    return `agent:${node.agentId}`;
  if (given !== null) return given;
  const run = `wf:${id ?? "RUN"}:agent:`;
  if (node.session === null) return run + node.id;
  const { name, scope } = node.session;
  if (scope === "run") return run + name;
  if (scope === "workflow") return `wf:${graph.slug}:agent:${name}`;
  return `wf:${graph.slug}:trigger:${trigger ?? "manual"}:agent:${name}`;
}

/** A key that the run gets as an input and passes to the node's `sessionId`. */
function givenKey({ graph, inputs }: Planned, { id }: AgentNode): string | null {
  for (const { source, target } of graph.edges) {
    if (target.to !== "input" || target.node !== id || target.port !== "sessionId") continue;
    const from = graph.nodes.find((node) => node.id === source.node);
    const value = from?.type === "trigger" && "port" in source ? inputs[source.port] : null;
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

/** By the node's id. */
export async function plannedTurns(
  engine: Engine,
  planned: Planned,
): Promise<Map<string, PlannedTurn>> {
  const turns = new Map<string, PlannedTurn>();
  const users = new Map<string, string>();
  for (const node of planned.graph.nodes) {
    if (node.type !== "agent") continue;
    const key = plannedKey(planned, node);
    const before = users.get(key);
    const turn =
      before === undefined
        ? await firstTurn(engine, planned, node, key)
        : ({ outcome: "resume", why: `continues what ${before} began` } as const);
    users.set(key, before ?? node.id);
    if (turn) turns.set(node.id, turn);
  }
  return turns;
}

async function firstTurn(
  engine: Engine,
  planned: Planned,
  node: AgentNode,
  key: string,
): Promise<PlannedTurn | null> {
  if ((await engine.store.readSession(key)) === null)
    // A fork begins with the history of another session, which may not exist yet.
    return node.fork || node.adopt ? null : { outcome: "blank", why: "first turn" };
  try {
    return await nextTurn(engine, planned, node, key);
  } catch (error) {
    return { outcome: "refuse", why: errorView(error).message };
  }
}

async function nextTurn(
  engine: Engine,
  { folder: runFolder, id, continuity }: Planned,
  node: AgentNode,
  key: string,
): Promise<PlannedTurn | null> {
  const turn = await plannedNodeTurn(engine, node, { key, folder: runFolder });
  if (turn === null) return { outcome: "reseed", why: "another agent takes the session over" };
  const { agent, setup } = turn;
  if (localSettings(engine, node, engine.provider(agent.provider)).length > 0) return null;
  const place = { engine, run: id ?? "", folder: runFolder };
  const folder = await folderOf(place, agent, {
    node,
    folder: plainFolder(node),
    session: { key },
  });
  const begins = node.mode === "inherit_resume" || isItself(node) ? null : "resume";
  const asked = { key, agent: agent.name, surface: "node", folder } as const;
  const { decision } = await explain(
    engine,
    { ...asked, mode: node.mode, model: setup.model ?? null, continuity: continuity ?? begins },
    { setup },
  );
  return { outcome: decision.outcome, why: reasonOf(decision) };
}

/** A folder that contains values is known only when the node starts. */
function plainFolder({ folder }: AgentNode): string | null {
  const parts = folder?.parts ?? [];
  return parts.length > 0 && parts.every((part) => typeof part === "string")
    ? parts.join("")
    : null;
}

function reasonOf({ reason, verdicts, error, prepare }: DecisionView): string {
  if (error) return error.message;
  if (reason === "all-hold")
    return prepare?.includes("restore") ? "all guards pass, history restored" : "all guards pass";
  const verdict = verdicts.find(({ guard }) => guard === reason);
  return verdict ? `${reason}: ${verdict.stored} → ${verdict.current}` : reason;
}
