/**
 * "No" means no, over random workflows: what ran and what was skipped is judged by an oracle of its own,
 * which reads the steps as they are written and what became of each, and shares no code with the engine.
 */

import fc, { type GeneratorValue } from "fast-check";
import { expect, test } from "vitest";
import { load } from "../load.ts";
import type { LoopExecution } from "./state.ts";
import { Play } from "./test-run.ts";

type Kind = "shell" | "gate" | "branch" | "join" | "loop" | "retry-gate";

/** A step as the file has it. */
interface Step {
  readonly id: string;
  readonly kind: Kind;
  readonly parent: string | null;
  readonly body: Record<string, unknown>;
  readonly refs: Ref[];
  /** Present if the file sets it. */
  readonly onError?: string | undefined;
  readonly onReject?: string | undefined;
  readonly onMaximum?: string | undefined;
  readonly inside: Step[];
  condition?: Ref;
}

interface Ref {
  readonly step: string;
  readonly port: string;
  /** `value`: what a branch or a check looks at. `join`: what a join brings together. */
  readonly as: "needs" | "text" | "input" | "value" | "join";
}

class Choice {
  readonly #generate: GeneratorValue;
  constructor(generate: GeneratorValue) {
    this.#generate = generate;
  }
  upTo(max: number): number {
    return this.#generate(fc.nat, { max });
  }
  once(times: number): boolean {
    return this.upTo(times - 1) === times - 1;
  }
  of<Item>(items: readonly Item[]): Item {
    return items[this.upTo(items.length - 1)] as Item;
  }
}

const ports: Record<Kind, readonly string[]> = {
  shell: ["output", "success", "error", "exitCode", "stderr"],
  gate: ["output", "choice", "approved", "comment", "by"],
  branch: ["true", "false", "value"],
  join: ["output"],
  loop: ["ended", "iterations", "success"],
  "retry-gate": ["passed", "retry_count"],
};

/** Ports that say how a step went, and that are true or false. */
const verdicts: Partial<Record<Kind, string>> = {
  shell: "success",
  gate: "approved",
  "retry-gate": "passed",
};

class Written {
  readonly all = new Map<string, Step>();
  readonly top: Step[] = [];
  readonly outputs: Ref[] = [];
  readonly takesInputs: boolean;
  readonly #choice: Choice;
  constructor(choice: Choice) {
    this.#choice = choice;
    this.#fill(null, this.top, 0);
    for (let count = choice.upTo(2); count > 0; count -= 1)
      this.outputs.push(this.#ref(null, "needs"));
    this.takesInputs = choice.once(3);
  }

  source(): string {
    const trigger = this.takesInputs
      ? { also: { inputs: { task: "inputs.task" }, function: "return {}" } }
      : {};
    return JSON.stringify({
      name: "t",
      inputs: { task: { type: "string", default: "it" } },
      steps: { ...this.#written(this.top), ...trigger },
      outputs: Object.fromEntries(
        this.outputs.map(({ step, port }, at) => [`o${at}`, `${step}.${port}`]),
      ),
    });
  }

  #written(steps: readonly Step[]): Record<string, unknown> {
    return Object.fromEntries(steps.map((step) => [step.id, this.#body(step)]));
  }

  #body({ kind, body, refs, inside, onError }: Step): unknown {
    const needs = refs.filter(({ as }) => as === "needs").map(nameOf);
    const texts = refs.filter(({ as }) => as === "text").map((ref) => `{{ ${nameOf(ref)} }}`);
    const more = {
      ...(needs.length > 0 ? { needs } : {}),
      ...(onError === undefined ? {} : { onError }),
    };
    if (kind === "shell") return { ...more, shell: ["run", ...texts].join(" ") };
    if (kind === "loop") return { ...more, loop: { ...body, steps: this.#written(inside) } };
    return { ...more, ...body };
  }

  #fill(parent: string | null, into: Step[], depth: number): void {
    const size = 2 + this.#choice.upTo(depth === 0 ? 6 : 3);
    for (let at = 0; at < size; at += 1) {
      const step = this.#step(parent, depth, into);
      if (!step) continue;
      into.push(step);
      this.all.set(step.id, step);
    }
  }

  /** Steps that one written now in this container may name: all before it but those in its own loops. */
  #ref(parent: string | null, as: Ref["as"]): Ref {
    const around = new Set(this.#around(parent));
    const step = this.#choice.of([...this.all.values()].filter(({ id }) => !around.has(id)));
    return { step: step.id, port: this.#choice.of(ports[step.kind]), as };
  }

  #around(parent: string | null): string[] {
    const loops: string[] = [];
    for (let id = parent; id !== null; id = this.#parents.get(id) ?? null) loops.push(id);
    return loops;
  }
  readonly #parents = new Map<string, string | null>();

  #step(parent: string | null, depth: number, before: readonly Step[]): Step | null {
    const choice = this.#choice;
    const kinds: readonly Kind[] = [
      ...(["shell", "shell", "gate"] as const),
      ...(before.length > 0 ? (["branch", "branch", "join", "retry-gate", "shell"] as const) : []),
      ...(depth < 2 ? (["loop"] as const) : []),
    ];
    // So that every loop has something to decide about it.
    const kind = depth > 0 && before.length === 0 ? "shell" : choice.of(kinds);
    const id = `${kind.slice(0, 2)}${this.all.size + this.#parents.size}`;
    const refs: Ref[] = [];
    const named = this.all.size > 0 ? choice.upTo(2) : 0;
    for (let count = named; count > 0; count -= 1)
      refs.push(this.#ref(parent, kind === "shell" && choice.once(2) ? "text" : "needs"));
    const written = (words: readonly string[]) => (choice.once(4) ? choice.of(words) : undefined);
    const step = (body: Record<string, unknown>, more: Partial<Step> = {}): Step => ({
      ...{ id, kind, parent, body, refs, inside: [] },
      ...more,
    });
    switch (kind) {
      case "shell":
        return step({}, { onError: written(["skip", "continue", "fail"]) });
      case "gate": {
        const onReject = written(["skip", "continue", "fail"]);
        return step(
          { gate: { title: "Continue?", ...(onReject ? { onReject } : {}) } },
          { onReject },
        );
      }
      case "branch":
        return this.#branch(step, refs, before);
      case "join": {
        const own = [this.#ref(parent, "join"), this.#ref(parent, "join")];
        const names = [...new Set(own.map(nameOf))];
        refs.push(...own);
        return step({ join: names });
      }
      case "retry-gate": {
        const judged = before.filter(({ kind: one }) => one === "shell" || one === "gate");
        if (judged.length === 0) return null;
        const target = choice.of(judged);
        const onMaximum = written(["done", "fail"]);
        refs.push({ step: target.id, port: verdicts[target.kind]!, as: "value" });
        const body = { target: target.id, checks: [target.id], max: choice.upTo(1) };
        return step(
          { "retry-gate": { ...body, ...(onMaximum ? { onMaximum } : {}) } },
          { onMaximum },
        );
      }
      case "loop": {
        this.#parents.set(id, parent);
        const inside: Step[] = [];
        this.#fill(id, inside, depth + 1);
        const judges = inside.filter(({ kind: one }) => verdicts[one] !== undefined);
        const judge = choice.of(judges);
        const onMaximum = written(["done", "fail"]);
        const ref: Ref = { step: judge.id, port: verdicts[judge.kind]!, as: "value" };
        const type = choice.once(3) ? "continue" : "until";
        const body = { [type]: nameOf(ref), max: 1 + choice.upTo(1) };
        return step(
          { ...body, ...(onMaximum ? { onMaximum } : {}) },
          {
            inside,
            onMaximum,
            condition: ref,
            onError: written(["skip", "continue"]),
          },
        );
      }
    }
  }

  #branch(
    step: (body: Record<string, unknown>) => Step,
    refs: Ref[],
    before: readonly Step[],
  ): Step {
    const known = [...before, ...(this.#choice.once(3) ? this.all.values() : [])];
    const judged = known.filter(({ kind }) => verdicts[kind] !== undefined || kind === "loop");
    const one = judged.length > 0 ? this.#choice.of(judged) : null;
    if (!one) {
      const other = this.#choice.of(before);
      refs.push({ step: other.id, port: ports[other.kind][0]!, as: "value" });
      return step({ branch: { value: nameOf(refs.at(-1)!), equals: "x" } });
    }
    const compared: Partial<Record<Kind, readonly [string, unknown]>> = {
      loop: ["ended", "condition"],
      gate: ["choice", this.#choice.of(["approve", "reject"])],
    };
    const [port, equals] = compared[one.kind] ?? [verdicts[one.kind]!, true];
    refs.push({ step: one.id, port, as: "value" });
    return step({ branch: { value: `${one.id}.${port}`, equals } });
  }
}

function nameOf({ step, port }: Ref): string {
  return `${step}.${port}`;
}

type End = "ok" | "rejected" | "failed" | "skipped" | "open";

/** Says from the written steps alone what may have run. */
class Oracle {
  readonly #file: Written;
  readonly #run: Play;
  constructor(file: Written, run: Play) {
    this.#file = file;
    this.#run = run;
  }

  check(): void {
    const { state } = this.#run;
    const seen = this.#seen();
    this.#frame("", this.#file.top);
    expect(state.status, seen).toBe(this.#expected("", this.#file.top));
    expect(this.#begunAfterFailure(), seen).toEqual([]);
  }

  #seen(): string {
    const { state, statuses } = this.#run;
    return `${this.#file.source()}\n${JSON.stringify({ statuses, error: state.error })}`;
  }

  /** What began after a step of the run itself had failed that no condition reads. */
  #begunAfterFailure(): string[] {
    let hasFailed = false;
    const begun: string[] = [];
    for (const { event } of this.#run.events) {
      if (event.type === "run.rerun") hasFailed = false;
      const isBeginning = event.type === "node.started" || event.type === "gate.opened";
      if (isBeginning && hasFailed) begun.push(event.execution);
      if (event.type !== "node.failed" || event.execution.includes("/")) continue;
      const step = this.#file.top.find(({ id }) => id === event.execution.split("~")[0]);
      if (step && this.#isFatal(this.#file.top, step, "failed")) hasFailed = true;
    }
    return begun;
  }

  #frame(frame: string, steps: readonly Step[]): void {
    for (const step of steps) {
      const execution = this.#at(frame, step.id);
      if (!execution) continue;
      const what = `${execution.id} ${execution.status} in ${this.#seen()}`;
      const edges =
        step.kind === "join"
          ? step.refs.filter(({ as }) => as === "join")
          : this.#edgesInto(step, steps);
      // What the loop around hands in is always alive.
      const isHandedIn = (ref: Ref) => this.#sibling(steps, ref.step) === null;
      const alive = edges.map((ref) => isHandedIn(ref) || this.#isAlive(frame, steps, step, ref));
      if (execution.status === "skipped")
        expect(step.kind === "join" ? alive.includes(true) : !alive.includes(false), what).toBe(
          false,
        );
      else if (execution.status !== "cancelled")
        expect(step.kind === "join" ? alive.includes(true) : !alive.includes(false), what).toBe(
          true,
        );
      if (execution.type === "loop" && execution.iteration !== null)
        for (let at = 1; at <= execution.iteration; at += 1)
          this.#frame(`${execution.id}/${at}`, step.inside);
      if (execution.type === "loop") this.#loopEnd(step, execution);
    }
  }

  #loopEnd(step: Step, { id, status, iteration, outputs }: LoopExecution): void {
    if (iteration === null || (status !== "done" && status !== "failed")) return;
    const within = this.#expected(`${id}/${iteration}`, step.inside);
    if (within === "failed") expect(status, id).toBe("failed");
    else if (within === "rejected") expect([status, outputs.ended]).toEqual(["done", "rejected"]);
    else if (outputs.ended === "maximum")
      expect(status, id).toBe(step.onMaximum === "done" ? "done" : "failed");
  }

  /** How a frame all of which has ended comes out. */
  #expected(frame: string, steps: readonly Step[]): "done" | "failed" | "rejected" {
    const ends = steps.map((step) => ({ step, end: this.#end(frame, step) }));
    const unread = ends.filter(({ step, end }) => this.#isUnread(frame, steps, step, end));
    if (ends.some(({ step, end }) => end === "failed" && this.#isFatal(steps, step, end)))
      return "failed";
    if (ends.some(({ step, end }) => end === "rejected" && step.onReject === "fail"))
      return "failed";
    if (unread.some(({ end }) => end === "failed")) return "failed";
    return unread.length > 0 ? "rejected" : "done";
  }

  #isFatal(steps: readonly Step[], step: Step, end: End): boolean {
    if (step.onError !== undefined) return step.onError === "fail";
    return this.#conditionsOn(steps, step, end).length === 0 && !this.#decides(step);
  }

  #isUnread(frame: string, steps: readonly Step[], step: Step, end: End): boolean {
    if (end !== "rejected" && end !== "failed") return false;
    if (end === "failed" && step.onError !== undefined) return false;
    if (end === "rejected" && step.onReject === "continue") return false;
    if (end === "rejected" && step.kind === "retry-gate" && step.onMaximum === "done") return false;
    if (this.#decides(step, end)) return false;
    return this.#conditionsOn(steps, step, end).every(
      ({ id }) => this.#at(frame, id)?.status === "skipped",
    );
  }

  /** Whether it is in the condition of the loop around it. */
  #decides({ id, parent }: Step, _end: End = "failed"): boolean {
    return parent !== null && this.#file.all.get(parent)?.condition?.step === id;
  }

  #conditionsOn(steps: readonly Step[], step: Step, end: End): Step[] {
    return steps.filter(({ refs }) =>
      refs.some((ref) => ref.step === step.id && ref.as === "value" && tells(step, ref.port, end)),
    );
  }

  /** What is written in the step, or in a step of it, about a step beside it or in one beside it. */
  #edgesInto(step: Step, beside: readonly Step[]): Ref[] {
    const refs: Ref[] = [];
    const collect = (one: Step) => {
      for (const ref of one.refs) if (this.#sibling(beside, ref.step)) refs.push(ref);
      for (const inner of one.inside) collect(inner);
    };
    collect(step);
    return refs.filter((ref) => this.#sibling(beside, ref.step) !== step);
  }

  /** The step of the container that is the named one or holds it. */
  #sibling(beside: readonly Step[], name: string): Step | null {
    for (let step = this.#file.all.get(name); step; step = this.#file.all.get(step.parent ?? ""))
      if (beside.includes(step)) return step;
    return null;
  }

  #isAlive(frame: string, beside: readonly Step[], target: Step, ref: Ref): boolean {
    const source = this.#sibling(beside, ref.step)!;
    // From the step beside it inwards to the one that is named.
    const way: { step: Step; frame: string }[] = [];
    let at = frame;
    for (let step: Step | undefined = source; step; ) {
      way.push({ step, frame: at });
      if (step.id === ref.step) break;
      const around = this.#at(at, step.id);
      if (around?.type !== "loop" || around.iteration === null) return false;
      at = `${around.id}/${around.iteration}`;
      step = step.inside.find((inner) => this.#sibling([inner], ref.step));
    }
    return way.every(({ step, frame: within }) => {
      const isNamed = step.id === ref.step;
      const end = this.#end(within, step);
      if (end === "skipped" || end === "open") return false;
      if (isNamed && step.kind === "branch" && (ref.port === "true" || ref.port === "false"))
        if (this.#taken(within, step) !== ref.port) return false;
      if (end === "ok" || isKeptAlive(step, end)) return true;
      return this.#mayRead(frame, beside, target, step, end);
    });
  }

  /** The target is a condition on the step, or behind the outcome that such a branch took. */
  #mayRead(frame: string, beside: readonly Step[], target: Step, step: Step, end: End): boolean {
    const conditions = this.#conditionsOn(beside, step, end);
    if (conditions.includes(target)) return true;
    return conditions.some((branch) => {
      const taken = branch.kind === "branch" ? this.#taken(frame, branch) : null;
      return taken !== null && this.#behind(beside, branch, taken).has(target);
    });
  }

  #behind(beside: readonly Step[], branch: Step, outcome: string): Set<Step> {
    const found = new Set<Step>();
    const add = (from: Step, port: string | null) => {
      for (const next of beside)
        if (
          !found.has(next) &&
          this.#edgesInto(next, beside).some(
            (ref) =>
              this.#sibling(beside, ref.step) === from && (port === null || ref.port === port),
          )
        ) {
          found.add(next);
          if (next.kind !== "join") add(next, null);
        }
    };
    add(branch, outcome);
    return found;
  }

  #taken(frame: string, { id }: Step): string | null {
    const outputs = this.#at(frame, id)?.outputs ?? {};
    return "true" in outputs ? "true" : "false" in outputs ? "false" : null;
  }

  #end(frame: string, step: Step): End {
    const execution = this.#at(frame, step.id);
    if (!execution) return "open";
    const { status, outputs, error } = execution;
    if (status === "skipped") return "skipped";
    if (status === "failed")
      return error?.code === "rejected" && step.kind === "gate" ? "rejected" : "failed";
    if (status !== "done") return "open";
    if (step.kind === "gate" && outputs.choice !== "approve") return "rejected";
    if (step.kind === "retry-gate" && outputs.passed === false) return "rejected";
    return step.kind === "loop" && outputs.ended === "rejected" ? "rejected" : "ok";
  }

  #at(frame: string, node: string) {
    const round = this.#run.state.frames.get(frame)?.rounds.get(node) ?? 0;
    const id = `${frame === "" ? "" : `${frame}/`}${node}${round === 0 ? "" : `~${round}`}`;
    return this.#run.state.executions.get(id);
  }
}

function isKeptAlive({ onError, onReject, onMaximum, kind }: Step, end: End): boolean {
  if (end === "failed") return onError === "continue";
  return onReject === "continue" || (kind === "retry-gate" && onMaximum === "done");
}

/** Whether the port says that the step came out so. */
function tells({ kind }: Step, port: string, end: End): boolean {
  if (kind === "loop" && port === "ended") return true;
  if (end === "failed" || kind === "loop") return ["success", "error", "exitCode"].includes(port);
  if (kind === "gate") return port === "choice" || port === "approved";
  return kind === "retry-gate" && port === "passed";
}

/** Ends what is open by chance until the run has ended; dies now and then. */
function toTheEnd(choice: Choice, run: Play): void {
  for (let patience = 500; run.state.status === "running"; patience -= 1) {
    if (patience === 0) throw new Error("The run does not end.");
    const open = [...run.state.active, ...run.state.waiting];
    const id = choice.of(open);
    if (id === undefined) throw new Error("Nothing is under way, and nothing comes.");
    if (run.state.waiting.has(id)) run.answer(id, choice.once(2) ? "reject" : "approve");
    else if (id !== "also" && choice.once(3)) run.fail(id, { outputs: { exitCode: 1 } });
    else run.done(id, { output: "x", exitCode: 0 });
    if (choice.once(8)) run.crash();
  }
}

/** Dies in the middle of what is known, and continues from there. */
function restart(choice: Choice, run: Play): void {
  run.events.length = 1 + choice.upTo(run.events.length - 1);
  run.crash();
}

test("W1 W2 W3: what ran was reached by no edge from a no, and what was skipped had one", () => {
  let played = 0;
  fc.assert(
    fc.property(fc.gen(), (generate) => {
      const choice = new Choice(generate);
      const file = new Written(choice);
      const { graph, findings } = load(file.source());
      expect(
        findings.filter(({ severity }) => severity === "error"),
        file.source(),
      ).toEqual([]);
      const run = new Play(graph!, {}, { shuffle: (count) => choice.upTo(count - 1) });
      toTheEnd(choice, run);
      new Oracle(file, run).check();
      for (let times = choice.upTo(2); times > 0; times -= 1) {
        restart(choice, run);
        toTheEnd(choice, run);
        new Oracle(file, run).check();
      }
      if (run.state.status !== "done" && choice.once(2)) {
        run.happen({ type: "run.rerun", from: { what: "failed" }, by: null });
        toTheEnd(choice, run);
        new Oracle(file, run).check();
      }
      played += 1;
    }),
    { numRuns: 300 },
  );
  expect(played).toBeGreaterThan(250);
});
