/** Settles what a loop's wiring leaves open: the direction of its condition, and the content of its docks. */

import { isPromptInput } from "../document/agent-inputs.ts";
import type { Dock } from "../graph.ts";
import type { Draft, DraftEdge, DraftNode, Mutable } from "./draft.ts";
import { taskInput } from "./usual-ports.ts";

/** Outputs that mean "stop": on a dock that means "again" they would invert the loop. */
const enough = ["approved", "passed", "done", "ok"];

export function lowerLoops(draft: Draft): void {
  const docks = feedingOf(draft);
  eachDock(draft, docks, (node, dock, feeding) => {
    if (dock.type === "continue") turnCondition(draft, node, dock, feeding);
    if (dock.type === "continue" || dock.type === "until") tellSeveral(draft, node, dock, feeding);
    if (dock.type === "feedback" && feeding.length > 1) keyDock(draft, node, dock, feeding);
  });
  addFeedback(draft, docks);
  for (const edge of draft.edges) {
    taskForIteration(draft, edge);
    selectPart(draft, edge, docks);
  }
}

function eachDock(
  { nodes }: Draft,
  docks: Feeding,
  visit: (node: DraftNode, dock: Mutable<Dock>, feeding: readonly DraftEdge[]) => void,
): void {
  for (const node of nodes.values())
    for (const dock of node.docks.values())
      visit(node, dock, docks.get(dockKey(node.id, dock.name)) ?? []);
}

type Feeding = Map<string, DraftEdge[]>;

function dockKey(loop: string, dock: string): string {
  return `${loop} ${dock}`;
}

/** The edges into each dock. */
function feedingOf(draft: Draft): Feeding {
  const docks: Feeding = new Map();
  for (const edge of draft.edges) {
    if (edge.target.to !== "dock") continue;
    const key = dockKey(edge.target.node, edge.target.dock);
    const known = docks.get(key);
    if (known) known.push(edge);
    else docks.set(key, [edge]);
  }
  return docks;
}

function turnCondition(
  { report }: Draft,
  node: DraftNode,
  dock: Mutable<Dock>,
  feeding: readonly DraftEdge[],
): void {
  if (node.written.type !== "loop") return;
  const written = node.written.data.dockSlots?.find(({ name }) => name === dock.name);
  if (written?.strict) return;
  warnOfSuccess(report, node, dock, feeding);
  const turned = feeding.find(
    ({ source }) => source.from === "output" && enough.includes(source.port),
  );
  if (turned?.source.from !== "output") return;
  dock.type = "until";
  report.warn(
    "inverted-continue",
    turned.position,
    `"${turned.source.port}" is wired to the dock "${dock.name}", where true means again. It is read as until, so the loop "${node.id}" ends when it is true.`,
    "Change the type of the dock to until, or set strict: true on it to continue while it is true.",
  );
}

/** `success` may be meant either way, so it is not turned. */
function warnOfSuccess(
  report: Draft["report"],
  node: DraftNode,
  dock: Dock,
  feeding: readonly DraftEdge[],
): void {
  const edge = feeding.find(({ source }) => source.from === "output" && source.port === "success");
  if (!edge) return;
  report.warn(
    "success-continues",
    edge.position,
    `"success" of "${edge.source.node}" is wired to the dock "${dock.name}", where true means again, so the loop "${node.id}" ends when it fails.`,
    "Change the type of the dock to until, or set strict: true on it to continue while it succeeds.",
    { node: node.id, port: dock.name },
  );
}

function tellSeveral(
  { report }: Draft,
  node: DraftNode,
  { name }: Dock,
  feeding: readonly DraftEdge[],
): void {
  if (feeding.length < 2) return;
  report.warn(
    "several-into-condition",
    feeding.at(-1)?.position ?? null,
    `${feeding.length} edges lead to the dock "${name}", the condition of the loop "${node.id}"; the last value that is not null is used.`,
    "Combine them in a function before it.",
  );
}

/** If a node got only its own output back as `iteratePrompt`, its own words would be its prompt. So the
 * feedback of the node that decides about the loop is added.
 */
function addFeedback(draft: Draft, docks: Feeding): void {
  for (const edge of [...draft.edges]) {
    const { source, target } = edge;
    if (source.from !== "previous" || target.to !== "input" || target.port !== "iteratePrompt")
      continue;
    const feeding = docks.get(dockKey(source.node, source.dock)) ?? [];
    if (feeding.length === 0 || !feeding.every((own) => own.source.node === target.node)) continue;
    const judge = judgeOf(draft, source.node, docks);
    if (!judge || judge.id === target.node) continue;
    const port = judge.outputs.has("feedback") ? "feedback" : "output";
    if (!judge.outputs.has(port)) continue;
    draft.connect(
      { from: "output", node: judge.id, port },
      { to: "dock", node: source.node, dock: source.dock },
      { position: edge.position },
    );
    feeding.push(draft.edges.at(-1)!);
    draft.nodes.get(source.node)!.docks.get(source.dock)!.keyed = true;
    draft.report.warn(
      "added-feedback",
      edge.position,
      `Only the output of "${target.node}" itself is wired to its iteratePrompt; "${port}" of "${judge.id}", which decides about the loop, is added to the dock "${source.dock}".`,
      `Wire output:${port} of "${judge.id}" to dock:${source.dock}:current.`,
    );
  }
}

/** The node that is wired to the loop's condition. */
function judgeOf(draft: Draft, loop: string, docks: Feeding): DraftNode | null {
  for (const { name, type } of draft.nodes.get(loop)?.docks.values() ?? []) {
    if (type !== "continue" && type !== "until") continue;
    const source = docks.get(dockKey(loop, name))?.at(-1)?.source;
    if (source?.from === "output") return draft.nodes.get(source.node) ?? null;
  }
  return null;
}

function keyDock(
  { report }: Draft,
  node: DraftNode,
  dock: Mutable<Dock>,
  feeding: readonly DraftEdge[],
): void {
  dock.keyed = true;
  const names = feeding.map(({ source }) => ("port" in source ? source.port : source.from));
  report.warn(
    "keyed-dock",
    feeding[1]?.position ?? null,
    `${feeding.length} edges lead to the dock "${dock.name}" of loop "${node.id}"; it contains an object with ${[...new Set(names)].join(", ")}.`,
    "Give each value its own dock.",
  );
}

/** The number of an iteration is not a useful prompt; the loop's own input is meant. */
function taskForIteration(draft: Draft, edge: DraftEdge): void {
  const { source, target, position } = edge;
  if (source.from !== "iteration" || target.to !== "input") return;
  const node = draft.nodes.get(target.node)!;
  if (node.written.type !== "agent" || !isPromptInput(target.port)) return;
  const loop = draft.nodes.get(source.node)!;
  const port = taskInput(loop);
  if (port === null) return;
  edge.source = { from: "loop-input", node: loop.id, port };
  draft.report.warn(
    "task-for-iteration",
    position,
    `The number of the iteration is wired to "${target.port}" of "${node.id}"; the input "${port}" of loop "${loop.id}" is used instead.`,
    `Write sourceHandle: input:${port}:internal.`,
  );
}

/** The part of a dock's object that a session or a prompt uses. */
function selectPart(draft: Draft, edge: DraftEdge, docks: Feeding): void {
  const { source, target, position } = edge;
  if (source.from !== "previous" || target.to !== "input") return;
  if (target.port !== "sessionId" && target.port !== "prompt") return;
  if (draft.nodes.get(target.node)?.written.type !== "agent") return;
  const feeding = docks.get(dockKey(source.node, source.dock)) ?? [];
  const isKeyed = feeding.length > 1;
  if (!isKeyed && !feeding.some((one) => mayBeObject(draft, one))) return;
  edge.select = target.port;
  if (isKeyed)
    draft.report.warn(
      "part-of-dock",
      position,
      target.port === "sessionId"
        ? `The dock "${source.dock}" contains several values; "sessionId" of "${target.node}" uses the one of that name.`
        : `The dock "${source.dock}" contains several values; "prompt" of "${target.node}" uses prompt, else feedback, else the only other text.`,
      "Give each value its own dock.",
    );
}

/** The messages of a conversation are used as a whole. */
function mayBeObject(draft: Draft, { source }: DraftEdge): boolean {
  if (source.from !== "output" || source.port === "conversationHistory") return false;
  const type = draft.nodes.get(source.node)?.outputs.get(source.port)?.type;
  return type === "json" || type === "any";
}
