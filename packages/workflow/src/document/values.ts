/** The schemas of values that both forms of a workflow file are made of. */

import { z } from "zod";
import { portTypes } from "../graph.ts";

/** An id, written as a word or as a number. */
export const idSchema = z.union([z.string().min(1), z.number()], {
  error: "must be a name",
});

const durationError = "must be a duration such as 90s, 15m or 3d, or a number of milliseconds";

export const durationSchema = z.union(
  [z.int().nonnegative(), z.string().regex(/^\d{1,9}(ms|s|m|h|d)$/, { error: durationError })],
  { error: durationError },
);

export const scalarSchema = z.union([z.string(), z.number(), z.boolean()], {
  error: "must be a text, a number, true or false",
});

export const sessionNameSchema = z.union(
  [
    z.string().min(1),
    z.strictObject({
      name: z.string().min(1),
      scope: z.enum(["run", "workflow", "trigger"]).optional(),
    }),
  ],
  { error: "must be a name, or a name with scope: run, workflow or trigger" },
);

export const choiceSchema = z.string().min(1);

/** A field of a form; the long form lets other keys through, as everywhere. */
export const fieldSchema = z.strictObject({
  name: z.string().min(1),
  label: z.string().optional(),
  type: z.enum(["string", "number", "boolean", "choice"]).optional(),
  choices: z.array(choiceSchema).optional(),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
});

const typeSchema = z.enum(portTypes);

/** The inputs of a run: `task: string`, or a type with a default. */
export const runInputsSchema = z.record(
  z.string().min(1),
  z.union(
    [
      typeSchema,
      z.null(),
      z.strictObject({
        type: typeSchema.optional(),
        required: z.boolean().optional(),
        default: z.unknown().optional(),
        description: z.string().optional(),
      }),
    ],
    { error: `must be one of ${portTypes.join(", ")}, or a mapping with type and default` },
  ),
);
