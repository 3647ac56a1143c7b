/** The ends of edges at a dock of a loop. */

import type { Dock, EdgeTarget, EdgeSource as From } from "../graph.ts";
import type { End } from "./edges.ts";

export function dockSource(end: End, name: string): From | null {
  const dock = dockNamed(end, name);
  if (!dock) return null;
  const node = end.node.id;
  if (dock.type === "iteration") return { from: "iteration", node };
  if (dock.type === "feedback") return { from: "previous", node, dock: name };
  return wrongDock(end, dock, "read from", "iteration or feedback");
}

export function dockTarget(end: End, name: string): EdgeTarget | null {
  const dock = dockNamed(end, name);
  if (!dock) return null;
  if (dock.type !== "iteration") return { to: "dock", node: end.node.id, dock: name };
  return wrongDock(end, dock, "written to", "continue, until or feedback");
}

function dockNamed({ draft, node, other, at, inward }: End, name: string): Dock | null {
  const dock = node.docks.get(name);
  if (dock && inward) return dock;
  if (dock)
    draft.report.error(
      "dock-from-outside",
      at,
      `"${other.id}" is not inside the loop "${node.id}", so it cannot use the dock "${name}".`,
      `Give it parentId: ${node.id}, or use an input or an output of the loop.`,
      { node: node.id, port: name },
    );
  else
    draft.report.error(
      "unknown-dock",
      at,
      node.written.type === "loop"
        ? `Loop "${node.id}" has no dock "${name}".`
        : `"${node.id}" is not a loop, so it has no dock "${name}".`,
      draft.report.near(name, node.docks.keys(), "Declare it in the dockSlots of a loop."),
      { node: node.id, port: name },
    );
  return null;
}

function wrongDock(
  { draft, node, at }: End,
  { name, type }: Dock,
  done: string,
  right: string,
): null {
  draft.report.error(
    "wrong-dock",
    at,
    `The dock "${name}" has the type ${type}, so it cannot be ${done} in an iteration.`,
    `Use a dock of type ${right}.`,
    { node: node.id, port: name },
  );
  return null;
}
