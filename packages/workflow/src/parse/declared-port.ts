/** A port that the file declares. */

import type { WrittenPort } from "../document.ts";
import type { PortType } from "../graph.ts";

/** A port before it becomes part of the graph. */
export interface DraftPort {
  readonly name: string;
  readonly type: PortType;
  /** Null if the file does not say. */
  readonly required: boolean | null;
  readonly default?: unknown;
  readonly description: string | null;
  /** The file declares it; otherwise it comes from the type of the node, or because something uses it. */
  readonly declared: boolean;
}

export function declaredPort(port: WrittenPort): DraftPort {
  return {
    name: port.name,
    type: portType(port.type),
    required: port.required ?? null,
    ...("default" in port ? { default: port.default } : {}),
    description: port.description ?? null,
    declared: true,
  };
}

function portType(type: WrittenPort["type"]): PortType {
  if (type === "file") return "string";
  return type === "files" ? "json" : (type ?? "any");
}
