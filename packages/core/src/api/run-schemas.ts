/** The schemas of workflows, runs and the inbox. */

import { z } from "zod";
import { shown } from "../errors/shown.ts";
import { itemKinds } from "../workflow/inbox-item.ts";
import { accessSchema, errorSchema, explanationSchema } from "./schemas.ts";

export const runIdSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  error: ({ input }) =>
    `must be 1 to 64 letters, digits, dots, underscores or dashes, beginning with a letter or a digit, and is ${shown(String(input))}`,
});
/**
 * `rejected`: nothing failed, and a person said no to a gate that no condition reads. `stuck`: Reprise
 * could not advance it; its inbox item says why.
 */
export const runStatuses = [
  "running",
  "waiting",
  "stuck",
  "done",
  "failed",
  "rejected",
  "cancelled",
] as const;

const valuesSchema = z.record(z.string(), z.unknown());

/** In characters; a workflow of thousands of nodes has fewer. */
export const maxSource = 1024 * 1024;

export const startRunSchema = z.strictObject({
  /** Text of the workflow, YAML or JSON. */
  source: z.string().min(1).max(maxSource, "has more than 1 MiB, which no workflow needs"),
  /** Where it was read from, for messages. */
  path: z.string().min(1).nullish(),
  inputs: valuesSchema.default({}),
  /** Chosen by the caller, for stable session keys; a new one otherwise. */
  id: runIdSchema.nullish(),
  /** Folder that its nodes work in; else the file's own, else the one in which Reprise was opened. */
  folder: z.string().min(1).nullish(),
  /** What started it, for sessions of scope `trigger`. */
  trigger: z.string().min(1).nullish(),
  /** For the first turn of every session that the run would continue. */
  continuity: z.enum(["reseed", "blank"]).nullish(),
  by: z.string().min(1).nullish(),
  /** The most that its agents may do, and what those may do that say nothing; instead of the setting `maxAccess`. */
  access: accessSchema.nullish(),
  /** The turn that it is started inside of: its nodes do not wait for a free agent or script. */
  within: z.string().min(1).nullish(),
});

const findingOfFileSchema = z.object({
  severity: z.enum(["error", "warning"]),
  code: z.string(),
  message: z.string(),
  hint: z.string(),
  position: z.object({ line: z.number(), column: z.number() }).nullable(),
});

export const runPlanSchema = z.object({
  workflow: z.string(),
  inputs: valuesSchema,
  folder: z.string(),
  warnings: z.array(findingOfFileSchema),
  /** In the order of the file. */
  steps: z.array(
    z.object({
      node: z.string(),
      type: z.string(),
      parent: z.string().nullable(),
      about: z.string(),
      /** Key that an agent's turns go to; `RUN` stands for the run's id. */
      session: z.string().nullable(),
    }),
  ),
});

export const runSchema = z.object({
  id: z.string(),
  workflow: z.string(),
  path: z.string().nullable(),
  status: z.enum(runStatuses),
  /** Nobody carries it on: the process that did is gone. */
  stalled: z.boolean(),
  error: errorSchema.nullable(),
  startedAt: z.number(),
  updatedAt: z.number(),
  endedAt: z.number().nullable(),
});

export const executionSchema = z.object({
  /** `coder`, `review/2/coder`, `coder~1`. */
  id: z.string(),
  node: z.string(),
  label: z.string(),
  type: z.string(),
  /** Of the loops around it, outermost first. */
  iterations: z.array(z.number()),
  round: z.number(),
  attempt: z.number(),
  status: z.enum(["running", "waiting", "retrying", "done", "failed", "skipped", "cancelled"]),
  outputs: valuesSchema,
  error: errorSchema.nullable(),
  because: z.string().nullable(),
  /** What was read otherwise than it was given. */
  warnings: z.array(z.string()),
  session: z.string().nullable(),
  turn: z.string().nullable(),
  /** How its session went on: resume, reseed, blank. */
  outcome: z.string().nullable(),
  tokens: z.number().nullable(),
  /** What its agent was not let do, one line each. */
  denied: z.array(z.string()),
  item: z.string().nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});

/** What a page draws of the workflow that the run was started with. */
const graphSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      type: z.string(),
      parent: z.string().nullable(),
      about: z.string(),
      /** What it does without saying it: on a rejection, on an error, with whose feedback. */
      implied: z.array(z.string()),
    }),
  ),
  edges: z.array(
    z.object({ from: z.string(), to: z.string(), label: z.string(), back: z.boolean() }),
  ),
});

export const runDetailSchema = runSchema.extend({
  source: z.string(),
  graph: graphSchema,
  inputs: valuesSchema,
  outputs: valuesSchema,
  folder: z.string(),
  executions: z.array(executionSchema),
  sessions: z.array(z.string()),
  /** Ids of inbox items and turns that wait for a person. */
  waitsFor: z.array(z.string()),
  /** What the file leaves open, and by which rule it was settled. */
  warnings: z.array(findingOfFileSchema),
});

export const rerunSchema = z.strictObject({
  run: z.string().min(1),
  /** A node: it and what is downstream of it. Neither: the failed nodes once more. */
  from: z.string().min(1).nullish(),
  fromStart: z.boolean().default(false),
  by: z.string().min(1).nullish(),
  /** As of a start. */
  within: z.string().min(1).nullish(),
});

export const cancelRunSchema = z.strictObject({
  run: z.string().min(1),
  by: z.string().min(1).nullish(),
});

const formFieldSchema = z.object({
  name: z.string(),
  label: z.string(),
  type: z.enum(["string", "number", "boolean", "choice"]),
  choices: z.array(z.string()),
  required: z.boolean(),
  default: z.unknown().optional(),
});

export const inboxItemSchema = z.object({
  /** Of a question: the id of its turn. */
  id: z.string(),
  kind: z.enum(itemKinds),
  run: z.string().nullable(),
  execution: z.string().nullable(),
  workflow: z.string().nullable(),
  title: z.string(),
  message: z.string().nullable(),
  choices: z.array(z.string()),
  fields: z.array(formFieldSchema),
  answerers: z.array(z.string()),
  /** Name of the passphrase that an answer needs. */
  passphrase: z.string().nullable(),
  deadline: z.number().nullable(),
  openedAt: z.number(),
  resolution: z
    .object({
      how: z.enum(["answered", "expired", "cancelled"]),
      choice: z.string().nullable(),
      by: z.string().nullable(),
      comment: z.string().nullable(),
      values: valuesSchema,
      at: z.number(),
    })
    .nullable(),
  sessions: z.array(z.string()),
});

export const inboxDetailSchema = inboxItemSchema.extend({
  /** What would happen to each of its sessions if the run went on now. */
  resumability: z.array(explanationSchema),
});

export const answerItemSchema = z.strictObject({
  /** Its id, or the beginning of one. */
  item: z.string().min(1),
  /** Of a gate: one of its choices. Of a permission: `allow` or `deny`; nothing else allows it. */
  choice: z.string().min(1).nullish(),
  values: valuesSchema.nullish(),
  comment: z.string().min(1).nullish(),
  by: z.string().min(1),
  /** Of a gate that asks for one; it is compared and kept nowhere. */
  passphrase: z.string().min(1).max(1024).nullish(),
  /** Of an agent's question: as `turns.answer` takes them. */
  text: z.string().min(1).nullish(),
  answers: z.record(z.string(), z.string()).nullish(),
  deny: z.string().min(1).nullish(),
});

export const answeredItemSchema = z.object({
  item: inboxItemSchema,
  /** False: it had this very answer already. */
  given: z.boolean(),
  /** The run after it was carried on, if it belongs to one. */
  run: runSchema.nullable(),
});
