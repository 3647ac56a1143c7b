/** Which output of a step is meant where only the step is named. */

import type { ShortStep } from "./short-steps.ts";

const enough = ["approved", "passed", "done", "ok"];

/** What its answer is made of, as far as the step says it. */
function returned(step: ShortStep): readonly string[] {
  if (step.kind === "function") return Object.keys(step.step.returns ?? {});
  if (step.kind !== "agent") return [];
  const { returns, outputSchema } = step.step;
  if (returns) return Object.keys(returns);
  const properties = typeof outputSchema === "object" ? outputSchema.properties : null;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

/** What says whether it is well; null when nothing does. */
export function conditionPort(step: ShortStep): string | null {
  switch (step.kind) {
    case "gate":
      return "approved";
    case "shell":
      return "success";
    case "retry-gate":
      return "passed";
    default:
      return returned(step).find((name) => enough.includes(name)) ?? null;
  }
}

/** What it has to say about the work; null when it says nothing. */
export function feedbackPort(step: ShortStep): string | null {
  switch (step.kind) {
    case "gate":
      return "comment";
    case "shell":
      return "output";
    case "agent":
      return returned(step).includes("feedback") ? "feedback" : "output";
    case "function":
      return returned(step).includes("feedback") ? "feedback" : null;
    case "retry-gate":
      return "retry_feedback";
    default:
      return null;
  }
}

/** Any output that is there when the step has ended, whatever it came to; null: the usual one. */
export function waitPort(step: ShortStep): string | null {
  switch (step.kind) {
    case "branch":
      return "value";
    case "loop":
      return "ended";
    case "function":
      return returned(step)[0] ?? null;
    default:
      return null;
  }
}
