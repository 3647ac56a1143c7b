/** Collects the edges that the short form implies, and what they add to the nodes. */

import type { WrittenPort } from "../document.ts";
import type { Reference, References } from "./short-references.ts";
import type { ShortStep } from "./short-steps.ts";
import type { Path } from "./source.ts";
import type { WrittenEdge, WrittenNode } from "./written.ts";

/** The trigger that provides the run's inputs, if a step uses one by name. */
export const inputsTrigger = "inputs";

interface DockSlot {
  readonly name: string;
  readonly type: "continue" | "until" | "feedback";
  readonly strict?: boolean;
}

export class Wiring {
  readonly references: References;
  readonly edges: WrittenEdge[] = [];
  /** What each step waits for in its own iteration. */
  readonly waits = new Map<string, Set<ShortStep>>();
  /** What each step reads from the previous iteration. */
  readonly recalls = new Map<string, Set<ShortStep>>();
  /** Whether a step takes an input of the run by an edge. */
  takesInputs = false;
  readonly #docks = new Map<string, Map<string, DockSlot>>();
  readonly #ports = new Map<string, WrittenPort[]>();
  readonly #sessions = new Map<string, string>();

  constructor(references: References) {
    this.references = references;
  }

  edge(
    source: { readonly node: string; readonly handle: string | null },
    target: { readonly node: string; readonly handle: string },
    path: Path,
  ): void {
    this.edges.push({
      id: null,
      source: source.node,
      target: target.node,
      sourceHandle: source.handle,
      targetHandle: target.handle,
      path,
      implied: true,
    });
  }

  /** Connects a value to a target; `to` is null if the target is not a step. */
  lead(
    from: Reference,
    to: ShortStep | null,
    target: { readonly node: string; readonly handle: string },
    path: Path,
  ): void {
    if (from.to === "run") {
      this.takesInputs = true;
      this.edge({ node: inputsTrigger, handle: `output:${from.input}` }, target, path);
      return;
    }
    const { step, port } = from;
    // A value of the previous iteration needs no waiting.
    const loop = to && target.handle !== "wait" ? this.references.previousIn(to, step) : null;
    if (to && loop) {
      note(this.recalls, to, step);
      this.edge(this.#recall(loop, step, port ?? "output", path), target, path);
      return;
    }
    if (to) this.waitFor(to, step);
    this.edge({ node: step.id, handle: port === null ? null : `output:${port}` }, target, path);
  }

  waitFor(step: ShortStep, other: ShortStep): void {
    note(this.waits, step, other);
  }

  /** The loop's dock with what a step produced in the previous iteration. */
  #recall(loop: ShortStep, step: ShortStep, port: string, path: Path) {
    const name = `${step.id}.${port}`;
    if (this.dock(loop.id, { name, type: "feedback" }))
      this.edge(
        { node: step.id, handle: `output:${port}` },
        { node: loop.id, handle: `dock:${name}:current` },
        path,
      );
    return { node: loop.id, handle: `dock:${name}:prev` };
  }

  /** False if the loop already has it. */
  dock(loop: string, slot: DockSlot): boolean {
    const docks = this.#docks.get(loop) ?? new Map<string, DockSlot>();
    this.#docks.set(loop, docks);
    if (docks.has(slot.name)) return false;
    docks.set(slot.name, slot);
    return true;
  }

  declare(node: string, port: WrittenPort): void {
    this.#ports.set(node, [...(this.#ports.get(node) ?? []), port]);
  }

  keepSession(node: string, name: string): void {
    this.#sessions.set(node, name);
  }

  /** The node with everything that was added to it. */
  finish(node: WrittenNode): WrittenNode {
    const docks = this.#docks.get(node.id);
    const ports = this.#ports.get(node.id) ?? [];
    const session = this.#sessions.get(node.id);
    return {
      ...node,
      data: {
        ...node.data,
        ...(docks ? { dockSlots: [...docks.values()] } : {}),
        ...(ports.length > 0 ? { inputs: [...(node.data.inputs ?? []), ...ports] } : {}),
        ...(session === undefined ? {} : { session }),
      },
    } as WrittenNode;
  }
}

function note(map: Map<string, Set<ShortStep>>, { id }: ShortStep, other: ShortStep): void {
  const known = map.get(id);
  if (known) known.add(other);
  else map.set(id, new Set([other]));
}
