/**
 * The prompt of an agent node: a wired `prompt` as it is, else `iteratePrompt`, else the feedback of its loop, else
 * `taskPrompt`, else the node's own text. What other nodes produced is quoted in it as inert data; only what a file
 * itself wires to one of these inputs is a prompt.
 */

import { inert } from "@reprise/core/prompt/inert";
import type { AgentNode } from "../graph.ts";
import { asText, fillTemplate, type TemplateValues, templateNames } from "../template.ts";
import type { Inputs } from "./inputs.ts";
import { isRecord, promptIn } from "./port-value.ts";

/** The input for the feedback that a loop of the short form gives its agent; no file names it. */
export const loopFeedback = "loopFeedback";

/** Inputs that are appended even if the node's text does not mention them. */
const appended = ["input", "feedback"];

/** Null if there is nothing to send. */
export function agentPrompt(
  node: AgentNode,
  inputs: Inputs,
  values: TemplateValues,
): string | null {
  const wired = wiredPrompt(inputs.values);
  const template = wired === null ? node.prompt : null;
  const text = wired ?? (template && fillForAgent(template, inputs, values));
  const used = template ? templateNames(template) : [];
  const more = appended
    .filter((port) => !used.includes(port))
    .map((port) => asText(inputs.values[port]))
    .filter((data) => data !== "")
    .map(inert);
  const parts = [...(text ? [text] : []), ...more];
  return parts.length > 0 ? parts.join("\n\n") : null;
}

/** A number or a boolean cannot contain a command, so it is inserted as it is. */
export function fillForAgent(
  template: NonNullable<AgentNode["prompt"]>,
  { values: given, foreign }: Inputs,
  values: TemplateValues,
): string {
  const isText = (port: string) => typeof given[port] === "string" || isObject(given[port]);
  return fillTemplate(template, values, { isInert: (port) => foreign.has(port) && isText(port) });
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** An empty text counts as no prompt. */
function wiredPrompt(values: Inputs["values"]): string | null {
  const { prompt, iteratePrompt, taskPrompt } = values;
  const again = isRecord(iteratePrompt) ? promptIn(iteratePrompt) : iteratePrompt;
  return (
    asText(prompt) || asText(again) || fromLoop(values[loopFeedback]) || asText(taskPrompt) || null
  );
}

/** The session has the task already, so the feedback alone is sent. */
function fromLoop(feedback: unknown): string {
  const text = asText(feedback);
  return text === "" ? "" : `Continue your work with this feedback on it:\n\n${inert(text)}`;
}
