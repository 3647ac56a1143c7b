/** A workflow file as it is written: the schemas of the long form, and of either form together. */

import { z } from "zod";
import {
  agentFields,
  commonFields,
  functionFields,
  gateFields,
  onMaximumField,
  shellFields,
} from "./document/node-fields.ts";
import { shortFileSchema } from "./document/short.ts";
import { fieldSchema, idSchema, runInputsSchema } from "./document/values.ts";
import { portTypes } from "./graph.ts";

/** `file` and `files` are read as string and json. */
export const portSchema = z.looseObject({
  name: z.string().min(1),
  type: z.enum([...portTypes, "file", "files"]).optional(),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
});
export type WrittenPort = z.output<typeof portSchema>;

const common = {
  ...commonFields,
  nodeType: z.string().optional(),
  inputs: z.array(portSchema).optional(),
  outputs: z.array(portSchema).optional(),
};

const dockSchema = z.looseObject({
  name: z.string().min(1),
  type: z.enum(["iteration", "continue", "until", "feedback"]),
  /** A `continue` dock means what it says, whatever is wired to it. */
  strict: z.boolean().optional(),
});

/** The `data` of each type of node. Keys that only matter for drawing are allowed. */
export const dataSchemas = {
  trigger: z.looseObject({ ...common, triggerType: z.string().min(1).optional() }),
  agent: z.looseObject({ ...common, ...agentFields }),
  shell: z.looseObject({
    ...common,
    ...shellFields,
    script: z.string().optional(),
    /** Legacy: run one after the other, until one fails. */
    commands: z.array(z.string()).optional(),
    path: z.string().min(1).optional(),
  }),
  function: z.looseObject({ ...common, ...functionFields, code: z.string().min(1) }),
  constant: z.looseObject({
    ...common,
    value: z.unknown(),
    valueType: z.enum(portTypes).optional(),
  }),
  branch: z.looseObject({ ...common, equals: z.unknown().optional() }),
  join: z.looseObject({ ...common, wait: z.enum(["all", "any"]).optional() }),
  wire: z.looseObject({ ...common }),
  workdir: z.looseObject({
    ...common,
    path: z.string().min(1),
    create: z.boolean().optional(),
  }),
  loop: z.looseObject({
    ...common,
    maxIterations: z.int().positive().optional(),
    dockSlots: z.array(dockSchema).optional(),
    onMaximum: onMaximumField,
  }),
  "retry-gate": z.looseObject({
    ...common,
    retryTarget: z.string().min(1),
    maxRetries: z.int().nonnegative().optional(),
    onMaximum: onMaximumField,
  }),
  gate: z.looseObject({
    ...common,
    ...gateFields,
    fields: z.array(fieldSchema.loose()).optional(),
  }),
  output: z.looseObject({ ...common, name: z.string().min(1).optional() }),
};
export type DataOf<Kind extends keyof typeof dataSchemas> = z.output<(typeof dataSchemas)[Kind]>;

/** Types of the format that are not run yet. */
export const futureTypes: readonly string[] = [
  "component",
  "map",
  "memory",
  "interface-input",
  "interface-output",
  "interface-continue",
];

const nodeHead = {
  id: idSchema,
  parentId: idSchema.nullish(),
};

/** The part of a node that is read before its type is known. */
export const nodeHeadSchema = z.looseObject({
  ...nodeHead,
  type: z.string().optional(),
  data: z.looseObject({ nodeType: z.string().optional() }).optional(),
});

const nodeSchemas = Object.entries(dataSchemas).map(([type, data]) =>
  z.looseObject({ ...nodeHead, type: z.literal(type), data: data.optional() }),
);
const nodeSchema = z.union([
  ...nodeSchemas,
  // An editor may use its own types; then the data says what the node is.
  z.looseObject({
    ...nodeHead,
    type: z.string().optional(),
    data: z.looseObject({ nodeType: z.enum(Object.keys(dataSchemas)) }),
  }),
]);

export const edgeSchema = z.looseObject({
  id: idSchema.optional(),
  source: idSchema,
  target: idSchema,
  /** `output:x`, `input:x:internal`, `dock:x:output`, `dock:x:prev`. */
  sourceHandle: z.string().nullish(),
  /** `input:x`, `output:x:internal`, `dock:x:input`, `dock:x:current`, `wait`. */
  targetHandle: z.string().nullish(),
});

const head = {
  version: z.union([z.literal(1), z.literal(2), z.literal(3)], { error: "must be 1, 2 or 3" }),
  metadata: z.looseObject({
    name: z.string().min(1),
    description: z.string().nullish(),
    rootDirectory: z.string().min(1).nullish(),
  }),
  interface: z
    .looseObject({
      inputs: z.array(portSchema).optional(),
      outputs: z.array(portSchema).optional(),
    })
    .optional(),
  components: z.record(z.string(), z.unknown()).optional(),
  /** As in the short form; `metadata.rootDirectory` is the older word for it. */
  folder: z.string().min(1).optional(),
  /** The inputs of a run, as in the short form. */
  inputs: runInputsSchema.optional(),
  parallel: z.int().positive().optional(),
  /** Nodes with `session_type: persistent` continue the agent's own session, as before. */
  legacyPersistentResumes: z.boolean().optional(),
};

/** The long form without its nodes and edges, which are checked one by one. */
export const longHeadSchema = z.looseObject({
  ...head,
  nodes: z.array(z.unknown()),
  edges: z.array(z.unknown()).optional(),
});

const longFileSchema = z.looseObject({
  ...head,
  nodes: z.array(nodeSchema),
  edges: z.array(edgeSchema).optional(),
});

/** A whole file, in either form. */
export const workflowFileSchema = z.union([longFileSchema, shortFileSchema]);
