/** Migrates the nodes of a workflow file: older words, and what other words imply. */

import { isMap, isSeq, type YAMLMap } from "yaml";
import type { GraphNode } from "../graph.ts";
import type { Edits } from "./edits.ts";

export interface WrittenPart {
  readonly place: string;
  /** The node's `data`, or the step. */
  readonly map: YAMLMap;
  /** The same as plain values, with merged keys. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly node: GraphNode;
  /** Aliases refer to it, so a change must be right for all of them. */
  readonly shared: boolean;
  readonly form: "long" | "short";
}

/** A new key goes after the first of these that exists. */
const head = ["mode", "agentId", "agentClass", "runner", "agent", "nodeType", "label"];

export function updateNode(edits: Edits, part: WrittenPart): void {
  const { place, map, value, node } = part;
  const rename = (from: string, to: string, text?: string) => {
    if (!map.has(from)) return;
    if (to in value) edits.remove(place, map, from);
    else edits.rename(place, map, from, to, text);
  };
  if (node.type === "agent") {
    rename("agent_class", "agentClass");
    rename("agent_id", "agentId");
    if (node.mode !== null) rename("session_type", "mode", node.mode);
  }
  if (node.type === "agent" || node.type === "shell") rename("cwd", "folder");
  // The older key of a shell node, if the current one is missing.
  if (node.type === "shell" && part.form === "long" && !("cwd" in value)) rename("path", "folder");
  if (typeof value.continueOnFailure === "boolean")
    rename("continueOnFailure", "onError", value.continueOnFailure ? "continue" : "fail");
  if (part.shared) return;
  if (part.form === "long") {
    if (value.nodeType !== node.type) addNodeType(edits, part);
    turnDocks(edits, part);
  }
  addSession(edits, part);
}

function addSession(edits: Edits, { place, map, value, node, form }: WrittenPart): void {
  if (node.type !== "agent" || node.session === null || "session" in value) return;
  const { name, scope } = node.session;
  const written = scope === "run" ? name : { name, scope };
  if (map.has("resumable") && typeof written === "string")
    edits.rename(place, map, "resumable", "session", written);
  // In the short form this is the rule, not a guess.
  else if (form === "long") edits.insert(place, map, head, "session", written);
}

function addNodeType(edits: Edits, { place, map, value, node }: WrittenPart): void {
  if ("nodeType" in value) edits.set(place, map, "nodeType", node.type);
  else edits.insert(place, map, ["label"], "nodeType", node.type);
}

/** A dock of type continue that means until. */
function turnDocks(edits: Edits, { place, map, node }: WrittenPart): void {
  const docks = map.get("dockSlots", true);
  if (!isSeq(docks) || node.type !== "loop") return;
  for (const dock of docks.items) {
    if (!isMap(dock) || dock.get("type") !== "continue") continue;
    const name = dock.get("name");
    if (node.docks.find((each) => each.name === name)?.type !== "until") continue;
    edits.set(place, dock, "type", "until");
    if (renamesDock(node, String(name))) edits.set(place, dock, "name", "until");
  }
}

/** A dock that is named after its type gets the name of the other type. */
export function renamesDock(loop: GraphNode, name: string): boolean {
  if (loop.type !== "loop" || name !== "continue") return false;
  const dock = loop.docks.find((each) => each.name === name);
  return dock?.type === "until" && loop.docks.every((each) => each.name !== "until");
}

/** Declares ports that edges name. */
export function declarePorts(
  edits: Edits,
  { place, map, value }: WrittenPart,
  side: "inputs" | "outputs",
  names: readonly string[],
): void {
  const ports = names.map((name) => ({ name }));
  const list = map.get(side, true);
  if (isSeq(list)) edits.append(`${place}, ${side}`, map, list, ports);
  else if (!(side in value)) {
    const keys = Object.keys(value).reverse();
    edits.insert(place, map, keys, side, ports);
  }
}
