/** A graph that is being built from a file: ports and edges can still change. `connect` passes a value from
 * any node to any other, through the borders of the loops between them.
 */

import type { RunMode } from "@reprise/core/session/policy";
import type { FindingReport } from "../findings.ts";
import type {
  Dock,
  Edge,
  EdgeTarget,
  EdgeSource as From,
  Position,
  SessionName,
} from "../graph.ts";
import type { DraftPort } from "../parse/declared-port.ts";
import type { FileReading } from "../parse/schema-check.ts";
import type { YamlSource } from "../parse/source.ts";
import type { WrittenFile, WrittenNode } from "../parse/written.ts";
import type { Template } from "../template.ts";
import type { CompileOptions } from "./compile.ts";
import { parseHandle } from "./handle.ts";
import { inputPorts, outputPorts, port } from "./ports.ts";

export interface DraftNode {
  readonly written: WrittenNode;
  readonly id: string;
  readonly parent: string | null;
  readonly position: Position;
  readonly inputs: Map<string, DraftPort>;
  readonly outputs: Map<string, DraftPort>;
  /** For loops. */
  readonly docks: Map<string, Mutable<Dock>>;
  readonly templates: Map<string, Template>;
  /** For agents. */
  readonly mode: RunMode | null;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  session: SessionName | null;
}

/** The position and the id of an edge in the file. */
interface Written {
  readonly id: string | null;
  readonly position: Position | null;
  readonly carried?: boolean;
}

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
export type DraftEdge = Mutable<Edge>;

export class Draft {
  readonly nodes = new Map<string, DraftNode>();
  readonly edges: DraftEdge[] = [];
  readonly file: WrittenFile;
  readonly source: YamlSource;
  readonly report: FindingReport;
  readonly options: CompileOptions;
  /** Ports of loops that have an incoming edge in the file. */
  readonly #feeding = new Set<string>();
  /** Ids of edges in the file. */
  readonly #ids = new Set<string>();
  /** Inputs with an incoming edge. */
  readonly #fed = new Set<string>();
  readonly #carried = new Map<string, From>();
  readonly #labels = new Map<string, DraftNode[]>();
  #counted = 0;

  constructor(
    file: WrittenFile,
    { source, report, options }: FileReading & { readonly options: CompileOptions },
  ) {
    this.file = file;
    this.source = source;
    this.report = report;
    this.options = options;
    for (const { target, targetHandle } of file.edges) {
      const handle = parseHandle(targetHandle ?? "input:input");
      // A plain word is the port of that name.
      const sides = handle === null ? ["input", "output"] : [handle.at];
      const name = handle === null ? targetHandle : "name" in handle ? handle.name : "";
      for (const side of sides) this.#feeding.add(`${target} ${side} ${name}`);
    }
  }

  /** Whether an edge of the file leads to this input of a loop, or from inside to this output. */
  feedsLoop(loop: string, side: "input" | "output", name: string): boolean {
    return this.#feeding.has(`${loop} ${side} ${name}`);
  }

  add(written: WrittenNode, parts: Pick<DraftNode, "mode" | "outputSchema" | "session">): void {
    const node: DraftNode = {
      written,
      id: written.id,
      parent: written.parent,
      position: this.source.keyAt(written.path),
      inputs: inputPorts(written),
      outputs: outputPorts(written, parts.outputSchema, this.options.runners ?? []),
      docks: docksOf(written),
      templates: new Map(),
      ...parts,
    };
    this.nodes.set(node.id, node);
    const { label } = written.data;
    if (label !== undefined) this.#labels.set(label, [...(this.#labels.get(label) ?? []), node]);
  }

  /** The node with this id, or the only one with this label. */
  named(name: string): DraftNode | null {
    const labelled = this.#labels.get(name);
    return this.nodes.get(name) ?? (labelled?.length === 1 ? labelled[0]! : null);
  }

  /** The position of a node's field. */
  at(node: DraftNode, field: string): Position {
    const path = node.written.fields[field];
    return path ? this.source.at(path) : node.position;
  }

  /** The loops around a node, innermost first. */
  around(id: string): string[] {
    const loops: string[] = [];
    for (let at = this.nodes.get(id)?.parent ?? null; at !== null; ) {
      loops.push(at);
      at = this.nodes.get(at)?.parent ?? null;
    }
    return loops;
  }

  isInside(id: string, loop: string): boolean {
    return this.around(id).includes(loop);
  }

  isFed(node: string, input: string): boolean {
    return this.#fed.has(`${node} ${input}`);
  }

  /** Returns whether it had to cross the border of a loop. */
  connect(
    from: From,
    to: EdgeTarget,
    { id = null, position = null }: { id?: string | null; position?: Position | null } = {},
  ): boolean {
    const start = this.#frameOf(from);
    const end = this.#frameOf(to);
    if (start === end) {
      this.#push(from, to, { id, position });
      return false;
    }
    if (to.to === "wait") this.#waitAcross(from, to.node, { id, position });
    else this.#push(this.#carry(from, start, end, position), to, { id, position });
    return true;
  }

  #push(source: From, target: EdgeTarget, { id, position, carried = false }: Written): void {
    if (target.to === "input") this.#fed.add(`${target.node} ${target.port}`);
    this.edges.push({
      id: this.#edgeId(id),
      source,
      target,
      select: null,
      back: false,
      carried,
      position,
    });
  }

  #edgeId(id: string | null): string {
    let own = id ?? `edge-${++this.#counted}`;
    while (this.#ids.has(own)) own = `${id ?? "edge"}-${++this.#counted}`;
    this.#ids.add(own);
    return own;
  }

  /** The loop that contains an end of an edge; a loop's docks are inside it. */
  #frameOf(end: From | EdgeTarget): string | null {
    const outside = "from" in end ? end.from === "output" : end.to === "input" || end.to === "wait";
    return outside ? (this.nodes.get(end.node)?.parent ?? null) : end.node;
  }

  /** Passes a value out of the loops that contain only the source, and into those that contain only the target. */
  #carry(from: From, start: string | null, end: string | null, position: Position | null): From {
    const name = nameOf(from);
    const out = this.#frames(start);
    const into = this.#frames(end);
    const common = into.find((frame) => out.includes(frame)) ?? null;
    let at = from;
    for (const loop of out) {
      if (loop === common || loop === null) break;
      at = this.#once(`${loop} out ${name}`, () => {
        this.nodes.get(loop)!.outputs.set(name, port(name));
        const to = { to: "loop-output", node: loop, port: name } as const;
        this.#push(at, to, { id: null, position, carried: true });
        return { from: "output", node: loop, port: name };
      });
    }
    for (const loop of into.slice(0, into.indexOf(common)).reverse()) {
      if (loop === null) continue;
      at = this.#once(`${loop} in ${name}`, () => {
        this.nodes.get(loop)!.inputs.set(name, port(name));
        this.#push(at, { to: "input", node: loop, port: name }, { id: null, position });
        return { from: "loop-input", node: loop, port: name };
      });
    }
    return at;
  }

  #frames(frame: string | null): (string | null)[] {
    return frame === null ? [null] : [frame, ...this.around(frame), null];
  }

  #once(key: string, make: () => From): From {
    const known = this.#carried.get(key);
    if (known) return known;
    const made = make();
    this.#carried.set(key, made);
    return made;
  }

  /** The target, or the loop that contains it, waits for the value from the other loops. */
  #waitAcross(from: From, node: string, written: Written): void {
    const out = [from.node, ...this.around(from.node)];
    const into = [node, ...this.around(node)];
    const common = into.find((loop) => out.includes(loop)) ?? null;
    const source = common === null ? out.at(-1)! : out[out.indexOf(common) - 1];
    const target = common === null ? into.at(-1)! : into[into.indexOf(common) - 1];
    // One contains the other, so the value is available while the inner one works.
    if (source === undefined || target === undefined) return;
    const start = this.#carry(from, this.#frameOf(from), common, written.position);
    this.#push(start, { to: "wait", node: target }, written);
  }
}

function docksOf(written: WrittenNode): Map<string, Mutable<Dock>> {
  const slots = written.type === "loop" ? (written.data.dockSlots ?? []) : [];
  return new Map(slots.map(({ name, type }) => [name, { name, type, keyed: false }]));
}

/** The name of a value that is passed through a loop: the same as in a template. */
function nameOf(from: From): string {
  switch (from.from) {
    case "output":
    case "loop-input":
      return `${from.node}.${from.port}`;
    case "iteration":
      return `${from.node}.iteration`;
    case "previous":
      return `${from.node}.${from.dock}`;
  }
}
