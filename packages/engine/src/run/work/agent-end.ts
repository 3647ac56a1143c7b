/** What the end of an agent's turn means for its node: the outputs, and the kind of failure. */

import type { ErrorView, RepriseError } from "@reprise/core/errors/errors";
import { denialLine } from "@reprise/core/session/access";
import type { Turn } from "@reprise/core/session/turn";
import { inputTokens } from "@reprise/core/usage/usage";
import type { AgentNode } from "@reprise/workflow/graph";
import type { NamedValues } from "@reprise/workflow/run/event";
import { declaredOutputs } from "./declared-outputs.ts";
import type { FailureKind, WorkEnd } from "./work.ts";

type Ended = Extract<WorkEnd, { type: "done" }>;

/**
 * `turns`: all turns of this attempt, the last one answered; `value`: its answer parsed by the schema; `more`: outputs
 * that only some providers have.
 */
export function answered(
  node: AgentNode,
  turns: readonly Turn[],
  value: unknown,
  more: NamedValues,
): WorkEnd {
  const turn = turns.at(-1)!;
  const output = turn.output ?? "";
  const properties = node.outputSchema === null ? {} : propertiesOf(node, value);
  const outputs = {
    ...outputsOf(turn),
    ...more,
    structuredOutput: node.outputSchema === null ? null : value,
    output,
    success: true,
    error: null,
    ...properties,
  };
  return {
    type: "done",
    outputs: { ...declaredOutputs(node, output, outputs), ...outputs },
    ...spent(turns),
  };
}

/** The answer's values for the schema's top-level properties. */
function propertiesOf({ outputSchema }: AgentNode, value: unknown): NamedValues {
  const given = typeof value === "object" && value !== null ? (value as NamedValues) : {};
  const names = Object.keys((outputSchema?.properties as object | undefined) ?? {});
  const own = names.filter((name) => name !== "sessionId" && name !== "structuredOutput");
  return Object.fromEntries(own.map((name) => [name, given[name] ?? null]));
}

/** No answer conformed to the schema. */
export function unfit(turns: readonly Turn[], why: string): WorkEnd {
  const error = {
    code: "bad-output",
    message: `The agent's answer does not conform to the outputSchema: ${why}.`,
    hint: "Simplify the outputSchema, or describe the expected answer in the prompt.",
  };
  const output = turns.at(-1)?.output ?? null;
  return failure(turns, "terminal", error, { output });
}

/** An answer that could not be checked. */
export function unchecked(turns: readonly Turn[], error: RepriseError): WorkEnd {
  const output = turns.at(-1)?.output ?? null;
  return failure(turns, "terminal", error.view(), { output });
}

/** A turn that ended without an answer; `seen`: its agent was started by this process, so a restart is not the cause. */
export function unanswered(turns: readonly Turn[], seen: boolean): WorkEnd {
  const turn = turns.at(-1)!;
  const error = turn.error ?? {
    code: turn.status,
    message: `Session ${turn.request.key} was in use, so nothing was sent.`,
    hint: "Run it again later, or set busy: wait on the node.",
  };
  return failure(turns, kindOf(turn, seen), inNode(error), {});
}

/** The hint of a turn names an option that a run does not have. */
function inNode(error: ErrorView): ErrorView {
  if (error.code !== "timed-out") return error;
  return { ...error, hint: "Give the node a longer timeout; its session is kept." };
}

function failure(
  turns: readonly Turn[],
  kind: FailureKind,
  error: ErrorView,
  outputs: NamedValues,
): WorkEnd {
  return {
    type: "failed",
    kind,
    error,
    outputs: { ...outputsOf(turns.at(-1)!), success: false, error: error.message, ...outputs },
    ...(error.resetAt !== undefined && { retryAt: error.resetAt }),
    ...spent(turns),
  };
}

function kindOf({ status, attempts, error }: Turn, seen: boolean): FailureKind {
  // A limit that an earlier turn found is as temporary as one that this turn found.
  if (status === "refused" && error?.resetAt !== undefined) return "transient";
  if (status === "cancelled" || (status === "interrupted" && !seen)) return status;
  const ending = attempts.at(-1)?.ending;
  return ending === "transient" || ending === "timed-out" ? ending : "terminal";
}

function outputsOf({ request, attempts }: Turn): NamedValues {
  const exit = attempts.at(-1)?.exit ?? null;
  return {
    output: null,
    sessionId: request.key,
    structuredOutput: null,
    exitCode: exit === null ? null : Number(exit),
  };
}

/** The outcome of the first turn, and what all turns used. */
function spent(turns: readonly Turn[]): Pick<Ended, "outcome" | "tokens" | "denied"> {
  const outcome = turns[0]?.attempts.at(-1)?.decision.outcome;
  const used = turns.flatMap(({ usage }) =>
    usage ? [inputTokens(usage) + (usage.output ?? 0)] : [],
  );
  const denied = turns.flatMap(({ attempts }) =>
    attempts.flatMap((attempt) => attempt.denied.map(denialLine)),
  );
  return {
    ...(outcome && { outcome }),
    ...(used.length > 0 && { tokens: used.reduce((sum, each) => sum + each) }),
    ...(denied.length > 0 && { denied }),
  };
}
