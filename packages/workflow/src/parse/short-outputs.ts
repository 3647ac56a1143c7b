/** Which output of a step is meant where only the step is named. */

import type { ShortStep } from "./short-steps.ts";

const enough = ["approved", "passed", "done", "ok"];

/** The properties of its answer, as far as the step declares them. */
function returned(step: ShortStep): readonly string[] {
  if (step.kind === "function") return Object.keys(step.step.returns ?? {});
  if (step.kind !== "agent") return [];
  const { returns, outputSchema } = step.step;
  if (returns) return Object.keys(returns);
  const properties = typeof outputSchema === "object" ? outputSchema.properties : null;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

/** The output that says whether it succeeded; null if there is none. */
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

/** The output with its feedback on the work; null if there is none. */
export function feedbackPort(step: ShortStep): string | null {
  switch (step.kind) {
    case "gate":
      return "comment";
    case "shell":
      return "feedback";
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

/** An output that exists however the step ended; null for the usual one. */
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
