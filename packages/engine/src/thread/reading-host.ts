/** A thread that parses untrusted text: workflows, and answers that must conform to a schema. */

import { readStructured, type StructuredAnswer } from "@reprise/core/prompt/structured-output";
import type { JsonSchema } from "@reprise/core/session/turn";
import { type LoadedWorkflow, type LoadOptions, load } from "@reprise/workflow/load";
import { answerCalls } from "./answer-calls.ts";

export type ReadingCall =
  | { readonly read: "workflow"; readonly text: string; readonly options: LoadOptions }
  | { readonly read: "answer"; readonly text: string; readonly schema: JsonSchema };

export type ReadingResult =
  | { readonly loaded: LoadedWorkflow }
  | { readonly structured: StructuredAnswer };

answerCalls<ReadingCall, ReadingResult>((call) => {
  if (call.read === "answer") return { structured: readStructured(call.text, call.schema) };
  return { loaded: load(call.text, call.options) };
});
