/**
 * Reads the short form: steps by their names. It says the same as the long form in fewer words, and
 * becomes the same nodes and edges.
 *
 *     name: Review until it is right
 *     inputs: { task: string }
 *     steps:
 *       review:
 *         loop:
 *           until: critic.approved
 *           max: 5
 *           steps:
 *             writer: { agent: claude, prompt: "{{ inputs.task }}" }
 *             critic:
 *               agent: codex
 *               prompt: "Is this right? {{ writer.output }}"
 *               returns: { approved: boolean, feedback: string }
 *       sign-off: { needs: review, gate: "Take it over?" }
 *     outputs: { text: writer.output }
 *
 * | a step says | and is |
 * |---|---|
 * | `agent: claude`, or `runner`, `agentClass`, `agentId` with `mode` | an agent; `prompt`, `model`, `session`, … as in the long form |
 * | `returns: { approved: boolean }` | its `outputSchema`: an object with these properties, all required; of a function: its outputs |
 * | `shell: make test` | a shell node |
 * | `function: return { … }` | a function; its `inputs` say what it gets |
 * | `gate: Title`, or `gate: { title, message, choices, fields, answerers, deadline, … }` | a gate |
 * | `loop: { until \| continue, max, steps, outputs }` | a loop |
 * | `branch: test.success`, or `branch: { value, equals }` | a branch; others need `branch.true` or `branch.false` |
 * | `join: [a, b]`, or `join: { of, wait: any }` | a join, with an input for each |
 * | `retry-gate: { target, checks, feedback, max }` | a retry gate |
 * | `constant: 3`, `workdir: path` | such a node |
 * | `needs: a`, `needs: [a, check.true]` | only the order: it waits, and is skipped when one of them is |
 * | `inputs: { port: a.output, other: { value: 3 } }` | edges, and constants |
 * | `{{ a.output }}` in a text | an edge too: the step waits for `a` |
 *
 * Steps that wait for nothing start at once. A reference is `step.port`, or `step` for its usual output,
 * or `inputs.name`. Ids are unique in the file, so a step in a loop is named as any other.
 *
 * In a loop:
 * - a text that refers to the step itself, or to one that is written after it, means the iteration
 *   before, and nothing in the first;
 * - an agent whose output the step in the condition reads, directly or through steps without an agent,
 *   keeps its session, and from the second iteration on its prompt is what that step has to say: its
 *   `feedback`, else `output`; of a gate the `comment`. What runs before the agent changes nothing about
 *   it. An agent that refers to that step in its own text gets that text; one with `session: false` begins
 *   anew each time, and gets its prompt with the feedback.
 */

import { z } from "zod";
import { shortHeadSchema } from "../document/short.ts";
import { runInputPorts } from "./run-inputs.ts";
import { checked, type FileReading } from "./schema-check.ts";
import { edgesOf } from "./short-edges.ts";
import { readSteps } from "./short-steps.ts";
import type { WrittenFile } from "./written.ts";

const { shape } = shortHeadSchema;

/** The valid part of a head with an error. */
const bareHeadSchema = z.object({
  name: shape.name.catch(""),
  steps: shape.steps,
  legacyPersistentResumes: shape.legacyPersistentResumes.catch(undefined),
});

export function readShortForm(value: object, reading: FileReading): WrittenFile | null {
  const whole = checked(shortHeadSchema, value, [], reading);
  // The steps can be checked even if the head has errors.
  const head: z.output<typeof shortHeadSchema> | undefined =
    whole ?? bareHeadSchema.safeParse(value).data;
  if (!head) return null;
  const inputs = runInputPorts(head.inputs, reading);
  const read = readSteps(head.steps, reading);
  const unread = whole ? read.unread : new Set([...read.unread, "inputs"]);
  const { nodes, edges } = edgesOf({ ...read, unread }, head.outputs ?? {}, inputs, reading);
  return {
    isShort: true,
    name: head.name,
    description: head.description ?? null,
    folder: head.folder ?? null,
    inputs,
    parallel: head.parallel ?? null,
    legacyPersistentResumes: head.legacyPersistentResumes ?? null,
    nodes,
    unread,
    edges,
  };
}
