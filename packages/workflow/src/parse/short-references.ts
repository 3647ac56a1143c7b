/** What the steps of the short form refer to, and whether that is in this iteration or the previous one. */

import type { Port } from "../graph.ts";
import { templateParts } from "../template.ts";
import { textsOf } from "./node-texts.ts";
import type { FileReading } from "./schema-check.ts";
import type { ReadSteps, ShortStep } from "./short-steps.ts";
import type { Path } from "./source.ts";
import type { WrittenNode } from "./written.ts";

/** An output of a step, its usual one when `port` is null; or an input of the run. */
export type Reference =
  | { readonly to: "step"; readonly step: ShortStep; readonly port: string | null }
  | { readonly to: "run"; readonly input: string };

export class References {
  readonly steps: ReadonlyMap<string, ShortStep>;
  readonly #within = new Map<string, ShortStep[]>();
  readonly #unread: ReadonlySet<string>;
  readonly #inputs: ReadonlySet<string>;
  readonly #reading: FileReading;

  constructor(
    steps: readonly ShortStep[],
    {
      unread,
      inputs,
      reading,
    }: Pick<ReadSteps, "unread"> & {
      readonly inputs: readonly Port[];
      readonly reading: FileReading;
    },
  ) {
    this.steps = new Map(steps.map((step) => [step.id, step]));
    for (const step of steps) {
      if (step.parent === null) continue;
      const known = this.#within.get(step.parent);
      if (known) known.push(step);
      else this.#within.set(step.parent, [step]);
    }
    this.#unread = unread;
    this.#inputs = new Set(inputs.map(({ name }) => name));
    this.#reading = reading;
  }

  /** Null with an error if the name is unknown; null without one if the named step has an error itself. */
  find(text: string, path: Path): Reference | null {
    const step = this.step(text);
    if (step) return this.#unread.has(step.step.id) ? null : step;
    const input = text.startsWith("inputs.") ? text.slice("inputs.".length) : null;
    if (input !== null && this.#inputs.has(input)) return { to: "run", input };
    const { source, report } = this.#reading;
    const [, inside] = /^\{\{\s*([^{}]*?)\s*\}\}$/.exec(text.trim()) ?? [];
    if (inside) {
      const hint = `Write it without the braces: ${inside}.`;
      report.error(
        "unknown-name",
        source.at(path),
        `"${text}" is a template, and this must be a name.`,
        hint,
      );
      return null;
    }
    const cut = text.lastIndexOf(".");
    if (this.#unread.has(text) || (cut >= 0 && this.#unread.has(text.slice(0, cut)))) return null;
    const known =
      input === null
        ? [...this.steps.keys()].map((id) => (cut < 0 ? id : `${id}${text.slice(cut)}`))
        : [...this.#inputs].map((name) => `inputs.${name}`);
    report.error(
      "unknown-name",
      source.at(path),
      `"${text}" is unknown.`,
      report.near(text, known, "Name a step as in coder.output, or an input as in inputs.task."),
    );
    return null;
  }

  step(text: string): Extract<Reference, { to: "step" }> | null {
    const whole = this.steps.get(text);
    if (whole) return { to: "step", step: whole, port: null };
    const cut = text.lastIndexOf(".");
    const step = cut < 0 ? undefined : this.steps.get(text.slice(0, cut));
    return step ? { to: "step", step, port: text.slice(cut + 1) } : null;
  }

  /** The outputs of steps that the texts of a node name. */
  inTexts(node: WrittenNode): { name: string; step: ShortStep; port: string }[] {
    return textsOf(node)
      .flatMap(({ text }) => templateParts(text))
      .flatMap((part) => {
        const found = typeof part === "string" ? null : this.step(part.name);
        if (typeof part === "string" || found === null || found.port === null) return [];
        return [{ name: part.name, step: found.step, port: found.port }];
      });
  }

  /** The loops around a step, from the inside to the outside. */
  around(step: ShortStep): ShortStep[] {
    const loops: ShortStep[] = [];
    for (let { parent } = step; parent !== null; ) {
      const loop = this.steps.get(parent);
      if (!loop) break;
      loops.push(loop);
      parent = loop.parent;
    }
    return loops;
  }

  /** The steps directly inside a loop. */
  within(loop: ShortStep): readonly ShortStep[] {
    return this.#within.get(loop.id) ?? [];
  }

  /** The loop whose previous iteration is meant, for a reference to a step that is not written earlier. */
  previousIn(step: ShortStep, other: ShortStep): ShortStep | null {
    const own = [step, ...this.around(step)];
    const others = [other, ...this.around(other)];
    const common = this.around(step).find((loop) => this.around(other).includes(loop));
    // A loop that contains the step is not one of its iterations.
    if (!common || own.slice(1).includes(other)) return null;
    const at = own[own.indexOf(common) - 1]!;
    const from = others[others.indexOf(common) - 1]!;
    return from.order >= at.order ? common : null;
  }
}
