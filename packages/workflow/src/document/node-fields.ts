/** What a node of each type may say about itself, in either form of a workflow file. */

import { accessLevels, onDeniedChoices } from "@reprise/core/session/access";
import { passphraseGrammar } from "@reprise/core/session/passphrase";
import { runModes } from "@reprise/core/session/policy";
import { busyPolicies } from "@reprise/core/session/turn";
import { z } from "zod";
import { onErrors } from "../graph.ts";
import {
  choiceSchema,
  durationSchema,
  fieldSchema,
  scalarSchema,
  sessionNameSchema,
} from "./values.ts";

const retrySchema = z.union(
  [
    z.int().nonnegative(),
    z.strictObject({
      max: z.int().nonnegative(),
      backoff: durationSchema.optional(),
      maxBackoff: durationSchema.optional(),
    }),
  ],
  { error: "must be a number, or max with backoff and maxBackoff" },
);

export const commonFields = {
  label: z.string().optional(),
  timeout: durationSchema.nullish(),
  retry: retrySchema.optional(),
  onError: z.enum(onErrors).optional(),
  /** The same as `onError: continue`. */
  continueOnFailure: z.boolean().optional(),
};

const onInterrupted = z.enum(["continue", "fail", "rerun"]).optional();
const word = z.string().min(1).optional();

/** The loader compares it with the runners that its caller passes in. */
export const runnerField = z.string().min(1).optional();

export const agentFields = {
  runner: runnerField,
  agentClass: word,
  agent_class: word,
  agentId: word,
  agent_id: word,
  mode: z.enum(runModes).optional(),
  /** Legacy: `temporary` or `persistent`. */
  session_type: z.string().optional(),
  session: sessionNameSchema.optional(),
  fork: sessionNameSchema.optional(),
  adopt: z.boolean().optional(),
  resumable: z.boolean().optional(),
  prompt: z.string().optional(),
  outputSchema: z
    .union([z.record(z.string(), z.unknown()), z.string()], {
      error: "must be a JSON Schema, as a mapping or as JSON text",
    })
    .optional(),
  model: word,
  folder: word,
  cwd: word,
  instructions: z.string().optional(),
  settings: z.record(z.string(), scalarSchema).optional(),
  budget: z
    .record(z.string(), z.union([z.string(), z.number()], { error: "must be a number or a text" }))
    .optional(),
  busy: z.enum(busyPolicies).optional(),
  access: z.enum(accessLevels).optional(),
  onDenied: z.enum(onDeniedChoices).optional(),
  onInterrupted,
};

export const shellFields = {
  folder: word,
  cwd: word,
  env: z.record(z.string(), scalarSchema).optional(),
  onInterrupted,
};

export const functionFields = { onInterrupted };

export const gateFields = {
  kind: z.enum(["approval", "form"]).optional(),
  title: z.string().min(1).optional(),
  message: z.string().optional(),
  /** The first means yes. */
  choices: z.array(choiceSchema).min(1).optional(),
  fields: z.array(fieldSchema).optional(),
  answerers: z.array(z.string().min(1)).optional(),
  passphrase: z.string().regex(passphraseGrammar, "is not a valid passphrase name").optional(),
  deadline: durationSchema.nullish(),
  /** One of the choices, or `fail`. */
  onDeadline: word,
  onReject: z.enum(onErrors).optional(),
};

export const onMaximumField = z.enum(["done", "fail"]).optional();
