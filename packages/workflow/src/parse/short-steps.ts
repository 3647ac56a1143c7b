/** Reads the steps of the short form, those in loops too. */

import { type StepKind, type StepOf, stepKinds, stepSchemas } from "../document/short.ts";
import { futureTypes } from "../document.ts";
import { checkId } from "./node-id.ts";
import { type FileReading, salvaged } from "./schema-check.ts";
import type { Path } from "./source.ts";

export type ShortStep = { readonly [Kind in StepKind]: StepBase<Kind> }[StepKind];

type Steps = Readonly<Record<string, unknown>>;

interface StepBase<Kind extends StepKind> {
  readonly kind: Kind;
  readonly id: string;
  readonly parent: string | null;
  readonly step: StepOf<Kind>;
  readonly path: Path;
  /** Its position in the file. */
  readonly order: number;
}

export interface ReadSteps {
  /** In the order of the file. */
  readonly steps: readonly ShortStep[];
  /** Names of steps with an error, even if the rest of them could be read. */
  readonly unread: ReadonlySet<string>;
}

export function readSteps(steps: Steps, reading: FileReading): ReadSteps {
  const found: ShortStep[] = [];
  const unread = new Set<string>();
  const read = (inner: Steps, parent: string | null, path: Path): void => {
    for (const [id, value] of Object.entries(inner)) {
      const errors = reading.report.errors;
      const step = readStep(id, value, parent, [...path, id], found.length, reading);
      if (reading.report.errors > errors)
        for (const name of step ? [id, step.step.label ?? id] : namesIn({ [id]: value }))
          unread.add(name);
      if (!step) continue;
      found.push(step);
      if (step.kind === "loop") read(step.step.loop.steps, id, [...path, id, "loop", "steps"]);
    }
  };
  read(steps, null, ["steps"]);
  return { steps: found, unread };
}

/** The names of steps, and of those in loops, however they are written. */
function* namesIn(steps: unknown): Iterable<string> {
  if (typeof steps !== "object" || steps === null || Array.isArray(steps)) return;
  for (const [id, step] of Object.entries(steps)) {
    yield id;
    const label = (step as { readonly label?: unknown } | null)?.label;
    if (typeof label === "string") yield label;
    yield* namesIn((step as { readonly loop?: { readonly steps?: unknown } } | null)?.loop?.steps);
  }
}

/** The keys that say that a step is an agent. */
const agentKeys = ["agent", "runner", "agentClass", "agent_class", "agentId", "agent_id"];

function readStep(
  id: string,
  value: unknown,
  parent: string | null,
  path: Path,
  order: number,
  reading: FileReading,
): ShortStep | null {
  const { source, report } = reading;
  if (!checkId(id, source.keyAt(path), reading)) return null;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    report.error(
      "bad-value",
      source.at(path),
      `The step "${id}" must be a mapping.`,
      "Write agent: and prompt:, or shell:, gate:, loop:, … in it.",
    );
    return null;
  }
  const keys = Object.keys(value);
  const kinds = stepKinds.filter((kind) =>
    kind === "agent" ? keys.some((key) => agentKeys.includes(key)) : keys.includes(kind),
  );
  const [kind, other] = kinds;
  const future = kind === undefined ? keys.find((key) => futureTypes.includes(key)) : undefined;
  if (future !== undefined) {
    report.error(
      "not-supported",
      source.keyAt([...path, future]),
      `Steps with "${future}" are not supported yet.`,
      `Remove the step "${id}", or write what it does into this file.`,
    );
    return null;
  }
  if (kind === undefined || other !== undefined) {
    report.error(
      "bad-step",
      source.keyAt(path),
      kind === undefined
        ? `The step "${id}" does not say what it does.`
        : `The step "${id}" is both ${kind} and ${other}.`,
      kind === undefined ? nearKind(keys, reading) : "Split it into two steps.",
    );
    return null;
  }
  const step = salvaged(stepSchemas[kind], value, path, reading);
  return step ? ({ kind, id, parent, step, path, order } as ShortStep) : null;
}

function nearKind(keys: readonly string[], { report }: FileReading): string {
  const otherwise = `Give it one of: ${stepKinds.join(", ")}.`;
  for (const key of keys) {
    const hint = report.near(key, [...stepKinds, ...agentKeys], "");
    if (hint !== "") return hint;
  }
  return otherwise;
}
