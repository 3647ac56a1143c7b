/** Changes to a workflow in the short form: steps by their names, and references to them. */

import type { Path } from "../parse/source.ts";
import { type DocumentChange, valueAt } from "./change.ts";
import { change, texts } from "./long-form.ts";
import type { Workflow } from "./problems.ts";
import { portOf, renamedReference, renamedTemplate } from "./references.ts";
import type { NodeConnection, WorkflowEdit } from "./workflow-edit.ts";

type Step = Readonly<Record<string, unknown>>;

/** A reference in a step, or in the outputs of the workflow. */
interface Reference {
  readonly path: Path;
  readonly text: string;
  /** It can be left out: the rest of the step is still valid. */
  readonly optional: boolean;
}

export class ShortForm implements Workflow {
  readonly #value: Step;
  readonly #steps = new Map<string, { readonly step: Step; readonly path: Path }>();

  constructor(value: Step) {
    this.#value = value;
    this.#read(value.steps, ["steps"]);
  }

  #read(steps: unknown, at: Path): void {
    for (const [id, written] of Object.entries((steps ?? {}) as Step)) {
      const step = (written ?? {}) as Step;
      this.#steps.set(id, { step, path: [...at, id] });
      const inner = (step.loop as Step | undefined)?.steps;
      if (inner !== undefined) this.#read(inner, [...at, id, "loop", "steps"]);
    }
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#steps.keys());
  }

  path(id: string): Path {
    return this.#steps.get(id)?.path ?? ["steps", id];
  }

  add({ id, parent = null, fields }: Extract<WorkflowEdit, { do: "add-node" }>): DocumentChange[] {
    const steps = parent === null ? ["steps"] : [...this.path(parent), "loop", "steps"];
    return [{ do: "set", path: [...steps, id], value: fields }];
  }

  remove(id: string): DocumentChange[] {
    const { path } = this.#steps.get(id)!;
    const isInside = (other: Path) => path.every((step, at) => other[at] === step);
    const gone = [...this.#steps].filter(([, step]) => isInside(step.path)).map(([name]) => name);
    const left = this.#references().filter(
      (reference) =>
        reference.optional &&
        !isInside(reference.path) &&
        gone.some((name) => portOf(reference.text, name, this.ids) !== null),
    );
    // From the last to the first, so that the positions in lists hold.
    return [
      ...left.reverse().flatMap(({ path }) => this.#withoutReference(path, left)),
      remove(path),
    ];
  }

  /** A list that becomes empty is removed with its key. */
  #withoutReference(path: Path, all: readonly Reference[]): DocumentChange[] {
    const holder = path.slice(0, -1);
    if (typeof path.at(-1) !== "number") return [remove(path)];
    const inList = all.filter((other) => same(other.path.slice(0, -1), holder));
    const list = texts(valueAt(this.#value, holder));
    if ([...list].length > inList.length) return [remove(path)];
    return same(inList[0]!.path, path) ? [remove(holder)] : [];
  }

  rename(id: string, to: string): DocumentChange[] {
    const names = { id, to, ids: this.ids };
    const changes: DocumentChange[] = [];
    const set = (path: Path, value: string) => changes.push({ do: "set", path, value });
    for (const { path, text } of this.#references()) {
      const renamed = renamedReference(text, names);
      if (renamed !== text) set(path, renamed);
    }
    for (const { step, path } of this.#steps.values()) {
      if (step.fork === id) set([...path, "fork"], to);
      const { loop: _, ...own } = step;
      for (const [inner, text] of texts(own)) {
        const renamed = renamedTemplate(text, names);
        if (renamed !== text) set([...path, ...inner], renamed);
      }
    }
    // Last, because the other paths contain the old name.
    return [...changes, { do: "rename", path: this.path(id), to }];
  }

  setField(id: string, field: Path, value: unknown): DocumentChange[] {
    return [change([...this.path(id), ...field], value)];
  }

  connect({ from, to }: NodeConnection): DocumentChange[] {
    const { step, path } = this.#steps.get(to.node)!;
    const text = referenceTo(from);
    if (to.port)
      return step.inputs === undefined
        ? [{ do: "set", path: [...path, "inputs"], value: { [to.port]: text } }]
        : [{ do: "set", path: [...path, "inputs", to.port], value: text }];
    const key = [...path, "needs"];
    if (step.needs === undefined) return [{ do: "set", path: key, value: text }];
    if (typeof step.needs === "string")
      return [{ do: "set", path: key, value: [step.needs, text] }];
    return [{ do: "set", path: [...key, (step.needs as unknown[]).length], value: text }];
  }

  disconnect({ from, to }: NodeConnection): DocumentChange[] {
    const { path } = this.#steps.get(to.node)!;
    const meant = this.#references().filter((reference) => {
      if (!reference.optional || !same(reference.path.slice(0, path.length), path)) return false;
      const [key, port] = reference.path.slice(path.length);
      if (to.port ? key !== "inputs" || port !== to.port : key === "inputs") return false;
      const given = portOf(reference.text, from.node, this.ids);
      return from.port ? given === from.port : given !== null;
    });
    return meant.reverse().flatMap((reference) => this.#withoutReference(reference.path, meant));
  }

  /** In the order of the file. */
  #references(): Reference[] {
    const found = [...this.#steps.values()].flatMap(({ step, path }) => referencesIn(step, path));
    const outputs = Object.entries((this.#value.outputs ?? {}) as Step);
    return [...found, ...outputs.flatMap(([name, text]) => list(text, ["outputs", name], true))];
  }
}

function referencesIn(step: Step, path: Path): Reference[] {
  const gate = step["retry-gate"] as Step | undefined;
  const loop = step.loop as Step | undefined;
  const { branch, join } = step as { branch?: unknown; join?: unknown };
  const isMap = (value: unknown): value is Step =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  return [
    ...list(step.needs, [...path, "needs"], true),
    ...Object.entries((step.inputs ?? {}) as Step).flatMap(([port, text]) =>
      list(text, [...path, "inputs", port], true),
    ),
    ...(isMap(branch)
      ? list(branch.value, [...path, "branch", "value"], false)
      : list(branch, [...path, "branch"], false)),
    ...(isMap(join)
      ? list(join.of, [...path, "join", "of"], true)
      : list(join, [...path, "join"], true)),
    ...list(gate?.target, [...path, "retry-gate", "target"], false),
    ...list(gate?.checks, [...path, "retry-gate", "checks"], Array.isArray(gate?.checks)),
    ...list(gate?.feedback, [...path, "retry-gate", "feedback"], true),
    ...list(loop?.until, [...path, "loop", "until"], false),
    ...list(loop?.continue, [...path, "loop", "continue"], false),
    ...Object.entries((loop?.outputs ?? {}) as Step).flatMap(([name, text]) =>
      list(text, [...path, "loop", "outputs", name], true),
    ),
  ];
}

/** A reference, or a list of them. */
function list(written: unknown, path: Path, optional: boolean): Reference[] {
  return [
    ...texts(typeof written === "string" || Array.isArray(written) ? written : null, path),
  ].map(([at, text]) => ({ path: at, text, optional }));
}

function referenceTo({ node, port }: NodeConnection["from"]): string {
  return port ? `${node}.${port}` : node;
}

function remove(path: Path): DocumentChange {
  return { do: "remove", path };
}

function same(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((step, at) => step === other[at]);
}
