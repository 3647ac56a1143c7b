/** An agent node from its data: aliases resolved, modes by precedence. */

import { UsageError } from "@reprise/core/errors/errors";
import { command, slot } from "@reprise/core/errors/hint";
import { type RunMode, resolveRunMode } from "@reprise/core/session/policy";
import type { DataOf } from "../document.ts";
import type { AgentNode, SessionName } from "../graph.ts";
import type { WrittenNodeOf } from "../parse/written.ts";
import { providerOfRunner, runnerProblem, runnerWords } from "../runners.ts";
import type { Draft, DraftNode } from "./draft.ts";
import type { TypeFields } from "./nodes.ts";

export function agentParts(
  draft: Draft,
  node: DraftNode,
  data: DataOf<"agent">,
): TypeFields<AgentNode> {
  const { templates, mode, session, outputSchema } = node;
  const provider = providerOf(draft, node, data);
  checkOnDenied(draft, node, data, provider);
  return {
    provider,
    agentClass: data.agentClass ?? data.agent_class ?? null,
    agentId: data.agentId ?? data.agent_id ?? null,
    mode,
    session,
    outputSchema,
    fork: sessionName(data.fork),
    adopt: data.adopt ?? false,
    prompt: templates.get("prompt") ?? null,
    model: data.model ?? null,
    folder: templates.get("folder") ?? null,
    instructions: templates.get("instructions") ?? null,
    settings: Object.fromEntries(
      Object.entries(data.settings ?? {}).map(([name, value]) => [name, String(value)]),
    ),
    budget: data.budget ?? null,
    busy: data.busy ?? null,
    access: data.access ?? null,
    onDenied: data.onDenied ?? null,
    onInterrupted: data.onInterrupted ?? "continue",
  };
}

export function sessionName(written: DataOf<"agent">["session"]): SessionName | null {
  if (written === undefined) return null;
  return typeof written === "string"
    ? { name: written, scope: "run" }
    : { name: written.name, scope: written.scope ?? "run" };
}

export function providerOf(
  draft: Draft,
  node: DraftNode,
  { runner }: DataOf<"agent">,
): string | null {
  if (runner === undefined) return null;
  const { runners, unknownRunners } = draft.options;
  if (runners === null) return runner;
  const provider = providerOfRunner(runner, runners);
  if (provider === null) {
    const words = runnerWords(runners);
    if (unknownRunners === "error")
      draft.report.error(
        "bad-value",
        draft.at(node, "runner"),
        `No provider has the runner "${runner}".`,
        draft.report.near(runner, words, `Use one of: ${words.join(", ")}.`),
      );
    return runner;
  }
  const problem = runnerProblem(provider, runners);
  // The file is valid and can be drawn and migrated; only a run of it is refused.
  if (problem)
    draft.report.warn("not-supported", draft.at(node, "runner"), problem.message, problem.hint);
  return provider;
}

function checkOnDenied(
  draft: Draft,
  node: DraftNode,
  { onDenied }: DataOf<"agent">,
  provider: string | null,
): void {
  // A node that inherits has the provider of its agent, which only a run knows.
  const inherits = node.mode === "inherit_fresh" || node.mode === "inherit_resume";
  const runner = draft.options.runners?.find((each) => each.provider === provider);
  if (onDenied !== "ask" || inherits || !runner?.available || runner.asks) return;
  draft.report.error(
    "cannot-ask",
    draft.at(node, "onDenied"),
    `Node "${node.id}" has onDenied: ask, but an agent of ${provider} cannot ask for permission.`,
    "Write note or fail.",
  );
}

/** An explicit mode, else what a legacy `session_type` means; the file's own setting wins. */
export function modeOf(
  draft: Draft,
  { id, data, fields, path }: WrittenNodeOf<"agent">,
): RunMode | null {
  const sessionType = data.session_type ?? null;
  const at = draft.source.at(fields.session_type ?? path);
  try {
    const mode = resolveRunMode({
      mode: data.mode ?? null,
      sessionType,
      legacyPersistentResumes:
        draft.file.legacyPersistentResumes ?? draft.options.legacyPersistentResumes,
    });
    if (sessionType !== null && data.mode === undefined)
      draft.report.warn(
        "legacy-session-type",
        at,
        `"session_type: ${sessionType}" of "${id}" is read as "mode: ${mode}".`,
        `Write mode: ${mode}, or use ${command("workflow migrate", slot("FILE"))}.`,
      );
    return mode;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    draft.report.error(error.code, at, error.message, error.hint);
    return null;
  }
}

/** A JSON Schema, also where it is written as JSON text. */
export function outputSchemaOf(
  draft: Draft,
  { id, data, fields, path }: WrittenNodeOf<"agent">,
): Readonly<Record<string, unknown>> | null {
  const { outputSchema } = data;
  if (typeof outputSchema !== "string") return outputSchema ?? null;
  if (outputSchema.trim() === "") return null;
  const problem = (message: string) =>
    draft.report.error(
      "bad-output-schema",
      draft.source.at(fields.outputSchema ?? path),
      `The outputSchema of "${id}" ${message}.`,
      "Write a JSON Schema, as JSON text or as a mapping.",
    );
  try {
    const schema: unknown = JSON.parse(outputSchema);
    if (typeof schema === "object" && schema !== null && !Array.isArray(schema))
      return schema as Readonly<Record<string, unknown>>;
    problem("is not a JSON object");
  } catch (error) {
    problem(`is not JSON: ${(error as Error).message}`);
  }
  return null;
}
