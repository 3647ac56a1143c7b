/** The schemas of the short form: steps by their names. short-form.ts explains it. */

import { z } from "zod";
import { portTypes } from "../graph.ts";
import {
  agentFields,
  commonFields,
  functionFields,
  gateFields,
  onMaximumField,
  runnerField,
  shellFields,
} from "./node-fields.ts";
import { runInputsSchema, sessionNameSchema } from "./values.ts";

/** `step.port`, `step` for its usual output, or `inputs.name` for an input of the run. */
const referenceSchema = z.string().min(1);
const referencesSchema = z.union([referenceSchema, z.array(referenceSchema)], {
  error: "must be a step, or a list of steps",
});

const stepFields = {
  ...commonFields,
  needs: referencesSchema.optional(),
  /** Ports of the step: a reference, or `value` with a constant. */
  inputs: z
    .record(
      z.string().min(1),
      z.union([referenceSchema, z.strictObject({ value: z.unknown() })], {
        error: "must be a reference such as coder.output, or value: with a constant",
      }),
    )
    .optional(),
};

/** Properties of the answer: a type by its name, or a JSON Schema. */
const returnsSchema = z.record(
  z.string().min(1),
  z.union([z.enum(portTypes), z.record(z.string(), z.unknown())], {
    error: `must be one of ${portTypes.join(", ")}, or a JSON Schema`,
  }),
);

function loopStep<Steps extends z.ZodType>(steps: Steps) {
  return z.strictObject({
    ...stepFields,
    loop: z.strictObject({
      until: referenceSchema.optional(),
      continue: referenceSchema.optional(),
      max: z.int().positive().optional(),
      onMaximum: onMaximumField,
      outputs: z.record(z.string().min(1), referenceSchema).optional(),
      steps,
    }),
  });
}

/** Steps, which are checked one by one. */
const openSteps = z.record(z.string().min(1), z.unknown());

/** Each kind of step, by the key that says what the step does. */
export const stepSchemas = {
  agent: z.strictObject({
    ...stepFields,
    ...agentFields,
    agent: runnerField,
    /** `false`: a new one every time. */
    session: z
      .union([z.literal(false), sessionNameSchema], {
        error: "must be a name, a name with a scope, or false",
      })
      .optional(),
    returns: returnsSchema.optional(),
  }),
  shell: z.strictObject({ ...stepFields, ...shellFields, shell: z.string().min(1) }),
  function: z.strictObject({
    ...stepFields,
    ...functionFields,
    function: z.string().min(1),
    returns: returnsSchema.optional(),
  }),
  gate: z.strictObject({
    ...stepFields,
    gate: z.union([z.string().min(1), z.strictObject(gateFields)], {
      error: "must be a title, or a mapping with a title",
    }),
  }),
  loop: loopStep(openSteps),
  constant: z.strictObject({ ...stepFields, constant: z.unknown() }),
  branch: z.strictObject({
    ...stepFields,
    branch: z.union(
      [referenceSchema, z.strictObject({ value: referenceSchema, equals: z.unknown().optional() })],
      { error: "must be a reference such as reviewer.approved, or value: with equals:" },
    ),
  }),
  join: z.strictObject({
    ...stepFields,
    join: z.union(
      [
        z.array(referenceSchema).min(1),
        z.strictObject({
          of: z.array(referenceSchema).min(1),
          wait: z.enum(["all", "any"]).optional(),
        }),
      ],
      { error: "must be a list of steps, or of: with wait:" },
    ),
  }),
  workdir: z.strictObject({
    ...stepFields,
    workdir: z.union(
      [
        z.string().min(1),
        z.strictObject({ path: z.string().min(1), create: z.boolean().optional() }),
      ],
      { error: "must be a path, or path: with create:" },
    ),
  }),
  "retry-gate": z.strictObject({
    ...stepFields,
    "retry-gate": z.strictObject({
      target: z.string().min(1),
      checks: referencesSchema,
      feedback: referencesSchema.optional(),
      max: z.int().nonnegative().optional(),
      onMaximum: onMaximumField,
    }),
  }),
};
export type StepKind = keyof typeof stepSchemas;
export type StepOf<Kind extends StepKind> = z.output<(typeof stepSchemas)[Kind]>;

export const stepKinds = Object.keys(stepSchemas) as StepKind[];

const stepSchema: z.ZodType = z.lazy(() => {
  const { loop: _, ...others } = stepSchemas;
  return z.union([...Object.values(others), loopStep(stepsSchema)]);
});
const stepsSchema = z.record(z.string().min(1), stepSchema);

const head = {
  version: z
    .union([z.literal(1), z.literal(2), z.literal(3)], { error: "must be 1, 2 or 3" })
    .optional(),
  name: z.string().min(1),
  description: z.string().optional(),
  /** The default work folder of the steps. */
  folder: z.string().min(1).optional(),
  inputs: runInputsSchema.optional(),
  /** Results of the run: a name, and where its value comes from. */
  outputs: z.record(z.string().min(1), referenceSchema).optional(),
  parallel: z.int().positive().optional(),
  legacyPersistentResumes: z.boolean().optional(),
};

/** The short form without its steps, which are checked one by one. */
export const shortHeadSchema = z.strictObject({ ...head, steps: openSteps });

export const shortFileSchema = z.strictObject({ ...head, steps: stepsSchema });
