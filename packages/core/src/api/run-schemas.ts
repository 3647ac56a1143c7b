/** The schemas of workflows, runs and the inbox; see the interfaces for what the fields mean. */

import { z } from "zod";
import { shown } from "../errors/shown.ts";
import { once } from "./parse.ts";
import { accessSchema, errorSchema, explanationSchema } from "./schemas.ts";

export const runIdSchema = once(() =>
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
    error: ({ input }) =>
      `must be 1 to 64 letters, digits, dots, underscores or dashes, beginning with a letter or a digit, and is ${shown(String(input))}`,
  }),
);
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

export const itemKinds = ["approval", "form", "question", "permission", "stuck"] as const;

const valuesSchema = once(() => z.record(z.string(), z.unknown()));

/** In characters; a workflow of thousands of nodes has fewer. */
export const maxSource = 1024 * 1024;

const sourceSchema = once(() =>
  z.string().min(1).max(maxSource, "has more than 1 MiB, which no workflow needs"),
);

export const startRunSchema = once(() =>
  z.strictObject({
    source: sourceSchema(),
    path: z.string().min(1).nullish(),
    inputs: valuesSchema().default({}),
    id: runIdSchema().nullish(),
    folder: z.string().min(1).nullish(),
    trigger: z.string().min(1).nullish(),
    continuity: z.enum(["reseed", "blank"]).nullish(),
    by: z.string().min(1).nullish(),
    access: accessSchema().nullish(),
    within: z.string().min(1).nullish(),
  }),
);

const findingOfFileSchema = once(() =>
  z.object({
    severity: z.enum(["error", "warning"]),
    code: z.string(),
    message: z.string(),
    hint: z.string(),
    position: z.object({ line: z.number(), column: z.number() }).nullable(),
    node: z.string().nullable().default(null),
    port: z.string().nullable().default(null),
  }),
);

export const validateWorkflowSchema = once(() =>
  z.strictObject({ source: sourceSchema(), strict: z.boolean().default(false) }),
);

export const workflowReportSchema = once(() =>
  z.object({
    ok: z.boolean(),
    nodes: z.number(),
    edges: z.number(),
    findings: z.array(findingOfFileSchema()),
  }),
);

export const runPlanSchema = once(() =>
  z.object({
    workflow: z.string(),
    inputs: valuesSchema(),
    folder: z.string(),
    warnings: z.array(findingOfFileSchema()),
    steps: z.array(
      z.object({
        node: z.string(),
        type: z.string(),
        parent: z.string().nullable(),
        about: z.string(),
        session: z.string().nullable(),
        turn: z
          .object({ outcome: z.enum(["resume", "reseed", "blank", "refuse"]), why: z.string() })
          .nullable()
          .default(null),
      }),
    ),
  }),
);

export const runSchema = once(() =>
  z.object({
    id: z.string(),
    workflow: z.string(),
    path: z.string().nullable(),
    status: z.enum(runStatuses),
    stalled: z.boolean(),
    error: errorSchema().nullable(),
    startedAt: z.number(),
    updatedAt: z.number(),
    endedAt: z.number().nullable(),
  }),
);

export const executionSchema = once(() =>
  z.object({
    id: z.string(),
    node: z.string(),
    label: z.string(),
    type: z.string(),
    iterations: z.array(z.number()),
    round: z.number(),
    attempt: z.number(),
    status: z.enum(["running", "waiting", "retrying", "done", "failed", "skipped", "cancelled"]),
    outputs: valuesSchema(),
    error: errorSchema().nullable(),
    because: z.string().nullable(),
    warnings: z.array(z.string()),
    session: z.string().nullable(),
    turn: z.string().nullable(),
    outcome: z.string().nullable(),
    tokens: z.number().nullable(),
    denied: z.array(z.string()),
    item: z.string().nullable(),
    startedAt: z.number(),
    endedAt: z.number().nullable(),
  }),
);

/** What a page draws of the workflow that the run was started with. */
const graphSchema = once(() =>
  z.object({
    nodes: z.array(
      z.object({
        id: z.string(),
        label: z.string(),
        type: z.string(),
        parent: z.string().nullable(),
        about: z.string(),
        implied: z.array(z.string()),
      }),
    ),
    edges: z.array(
      z.object({ from: z.string(), to: z.string(), label: z.string(), back: z.boolean() }),
    ),
  }),
);

export const runDetailSchema = once(() =>
  runSchema().extend({
    source: z.string(),
    graph: graphSchema(),
    inputs: valuesSchema(),
    outputs: valuesSchema(),
    folder: z.string(),
    executions: z.array(executionSchema()),
    sessions: z.array(z.string()),
    waitsFor: z.array(z.string()),
    warnings: z.array(findingOfFileSchema()),
  }),
);

export const rerunSchema = once(() =>
  z.strictObject({
    run: z.string().min(1),
    from: z.string().min(1).nullish(),
    fromStart: z.boolean().default(false),
    by: z.string().min(1).nullish(),
    within: z.string().min(1).nullish(),
  }),
);

export const cancelRunSchema = once(() =>
  z.strictObject({
    run: z.string().min(1),
    by: z.string().min(1).nullish(),
  }),
);

const formFieldSchema = once(() =>
  z.object({
    name: z.string(),
    label: z.string(),
    type: z.enum(["string", "number", "boolean", "choice"]),
    choices: z.array(z.string()),
    required: z.boolean(),
    default: z.unknown().optional(),
  }),
);

export const inboxItemSchema = once(() =>
  z.object({
    id: z.string(),
    kind: z.enum(itemKinds),
    run: z.string().nullable(),
    execution: z.string().nullable(),
    workflow: z.string().nullable(),
    title: z.string(),
    message: z.string().nullable(),
    choices: z.array(z.string()),
    fields: z.array(formFieldSchema()),
    questions: z.array(z.object({ text: z.string(), options: z.array(z.string()) })),
    answerers: z.array(z.string()),
    passphrase: z.string().nullable(),
    deadline: z.number().nullable(),
    openedAt: z.number(),
    resolution: z
      .object({
        how: z.enum(["answered", "expired", "cancelled"]),
        choice: z.string().nullable(),
        by: z.string().nullable(),
        comment: z.string().nullable(),
        values: valuesSchema(),
        at: z.number(),
      })
      .nullable(),
    sessions: z.array(z.string()),
  }),
);

export const inboxDetailSchema = once(() =>
  inboxItemSchema().extend({
    resumability: z.array(explanationSchema()),
  }),
);

export const answerItemSchema = once(() =>
  z.strictObject({
    item: z.string().min(1),
    choice: z.string().min(1).nullish(),
    values: valuesSchema().nullish(),
    comment: z.string().min(1).nullish(),
    by: z.string().min(1),
    passphrase: z.string().min(1).max(1024).nullish(),
    text: z.string().min(1).nullish(),
    answers: z.record(z.string(), z.string()).nullish(),
    deny: z.string().min(1).nullish(),
  }),
);

export const answeredItemSchema = once(() =>
  z.object({
    item: inboxItemSchema(),
    given: z.boolean(),
    run: runSchema().nullable(),
  }),
);
