/** Changes to a workflow in the long form: lists of nodes and edges. */

import { parseHandle } from "../compile/handle.ts";
import type { Path } from "../parse/source.ts";
import type { DocumentChange } from "./change.ts";
import { missing, type Workflow } from "./problems.ts";
import { renamedTemplate } from "./references.ts";
import type { NodeConnection, WorkflowEdit } from "./workflow-edit.ts";

interface LongNode {
  readonly id?: unknown;
  readonly parentId?: unknown;
  readonly data?: Readonly<Record<string, unknown>>;
}

interface LongEdge {
  readonly source?: unknown;
  readonly target?: unknown;
  readonly sourceHandle?: unknown;
  readonly targetHandle?: unknown;
}

export class LongForm implements Workflow {
  readonly #nodes: readonly LongNode[];
  readonly #edges: readonly LongEdge[] | undefined;

  constructor(value: { readonly nodes?: unknown; readonly edges?: unknown }) {
    this.#nodes = Array.isArray(value.nodes) ? value.nodes : [];
    this.#edges = Array.isArray(value.edges) ? value.edges : undefined;
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#nodes.map(({ id }) => String(id)));
  }

  add({
    id,
    type,
    parent = null,
    fields,
  }: Extract<WorkflowEdit, { do: "add-node" }>): DocumentChange[] {
    const data =
      type === undefined || "nodeType" in fields ? fields : { nodeType: type, ...fields };
    const node = {
      id,
      type: type ?? fields.nodeType,
      ...(parent === null ? {} : { parentId: parent }),
      data,
    };
    return [{ do: "set", path: ["nodes", this.#nodes.length], value: node }];
  }

  /** From the last to the first, so that the positions of the others hold. */
  remove(id: string): DocumentChange[] {
    const removed = new Set([id]);
    // The set grows while we iterate over it.
    for (const parent of removed)
      for (const node of this.#nodes)
        if (String(node.parentId ?? "") === parent) removed.add(String(node.id));
    const isGone = (node: unknown) => removed.has(String(node));
    return [
      ...indexes(this.#edges ?? [], ({ source, target }) => isGone(source) || isGone(target)).map(
        (at) => removal(["edges", at]),
      ),
      ...indexes(this.#nodes, (node) => isGone(node.id)).map((at) => removal(["nodes", at])),
    ];
  }

  rename(id: string, to: string): DocumentChange[] {
    const changes: DocumentChange[] = [];
    const names = { id, to, ids: this.ids };
    const set = (path: Path, value: unknown) => changes.push({ do: "set", path, value });
    this.#nodes.forEach((node, at) => {
      const path = ["nodes", at];
      if (String(node.id) === id) set([...path, "id"], to);
      if (String(node.parentId ?? "") === id) set([...path, "parentId"], to);
      const { retryTarget, fork } = node.data ?? {};
      if (retryTarget === id) set([...path, "data", "retryTarget"], to);
      if (fork === id) set([...path, "data", "fork"], to);
      for (const [key, text] of texts(node.data ?? {})) {
        const renamed = renamedTemplate(text, names);
        if (renamed !== text) set([...path, "data", ...key], renamed);
      }
    });
    this.#edges?.forEach((edge, at) => {
      for (const end of ["source", "target"] as const)
        if (String(edge[end]) === id) set(["edges", at, end], to);
    });
    return changes;
  }

  path(id: string): Path {
    const at = this.#nodes.findIndex((node) => String(node.id) === id);
    return this.#nodes[at]?.data === undefined ? ["nodes", at] : ["nodes", at, "data"];
  }

  setField(id: string, field: Path, value: unknown): DocumentChange[] {
    const path = this.path(id);
    if (path.at(-1) === "data") return [change([...path, ...field], value)];
    const [first = "", ...others] = field;
    if (value === undefined || others.length > 0) throw missing(id, String(first));
    return [{ do: "set", path: [...path, "data"], value: { [first]: value } }];
  }

  connect({ from, to }: NodeConnection): DocumentChange[] {
    const edge = {
      source: from.node,
      ...(from.port ? { sourceHandle: handle(from.port, "output") } : {}),
      target: to.node,
      targetHandle: to.port ? handle(to.port, "input") : "wait",
    };
    return this.#edges === undefined
      ? [{ do: "set", path: ["edges"], value: [edge] }]
      : [{ do: "set", path: ["edges", this.#edges.length], value: edge }];
  }

  disconnect({ from, to }: NodeConnection): DocumentChange[] {
    const isMeant = ({ source, target, sourceHandle, targetHandle }: LongEdge) =>
      String(source) === from.node &&
      String(target) === to.node &&
      fits(sourceHandle, from.port, "output") &&
      fits(targetHandle, to.port, "input");
    return indexes(this.#edges ?? [], isMeant).map((at) => removal(["edges", at]));
  }
}

/** A missing port means any. */
function fits(written: unknown, port: string | null | undefined, side: string): boolean {
  return !port || written === port || written === handle(port, side);
}

function handle(port: string, side: string): string {
  return parseHandle(port) === null ? `${side}:${port}` : port;
}

function removal(path: Path): DocumentChange {
  return { do: "remove", path };
}

export function change(path: Path, value: unknown): DocumentChange {
  return value === undefined ? removal(path) : { do: "set", path, value };
}

/** The last one first. */
function indexes<Item>(items: readonly Item[], isMeant: (item: Item) => boolean): number[] {
  return items.flatMap((item, at) => (isMeant(item) ? [at] : [])).reverse();
}

/** Every text inside a value, with the path to it. */
export function* texts(value: unknown, path: Path = []): Iterable<[Path, string]> {
  if (typeof value === "string") yield [path, value];
  else if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value))
      yield* texts(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}
