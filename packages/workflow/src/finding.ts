/** An error or a warning about a workflow file: what it is about, and where that is written. */

import type { Edge, GraphNode, Position } from "./graph.ts";

export interface Finding {
  readonly severity: "error" | "warning";
  /** A slug such as `unknown-node-type`. */
  readonly code: string;
  /** One sentence that says what is wrong. */
  readonly message: string;
  /** One sentence that says what to do. */
  readonly hint: string;
  readonly position: Position | null;
  /** The id of the node that it is about; null if it is about the file. */
  readonly node: string | null;
  /** The port or the dock of that node; null if it is about the whole node. */
  readonly port: string | null;
}

/** What a finding is about, apart from its position. */
export type FindingSubject = Partial<Pick<Finding, "node" | "port">>;

export function error(
  about: GraphNode | Edge | null,
  code: string,
  message: string,
  hint: string,
  subject: FindingSubject = {},
): Finding {
  return { severity: "error", code, message, hint, ...placeOf(about), ...subject };
}

export function warning(
  about: GraphNode | Edge | null,
  code: string,
  message: string,
  hint: string,
  subject: FindingSubject = {},
): Finding {
  return { severity: "warning", code, message, hint, ...placeOf(about), ...subject };
}

/** A problem of an edge belongs to the node that the edge leads to. */
function placeOf(about: GraphNode | Edge | null): Pick<Finding, "position" | "node" | "port"> {
  if (about === null) return { position: null, node: null, port: null };
  const { position } = about;
  if ("type" in about) return { position, node: about.id, port: null };
  const { target } = about;
  const port = "port" in target ? target.port : "dock" in target ? target.dock : null;
  return { position, node: target.node, port };
}

/** Names for a message: `"a", "b" and "c"`. */
export function quoted(names: readonly string[]): string {
  const all = names.map((name) => `"${name}"`);
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}
