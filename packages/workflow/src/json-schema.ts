/** The JSON Schema of workflow files, for editors and other programs; generated from the schemas of the loader. */

import { z } from "zod";
import { stepSchemas } from "./document/short.ts";
import {
  durationSchema,
  fieldSchema,
  idSchema,
  runInputsSchema,
  sessionNameSchema,
} from "./document/values.ts";
import { dataSchemas, edgeSchema, portSchema, workflowFileSchema } from "./document.ts";
import { keyDescriptions } from "./key-descriptions.ts";
import { type Runner, runnerWords } from "./runners.ts";

/** The values of `runner` are the words of these runners. */
export function workflowJsonSchema(runners: readonly Runner[]): Record<string, unknown> {
  const names = z.registry<{ id: string; title?: string }>();
  for (const [type, schema] of Object.entries(dataSchemas))
    names.add(schema, { id: `${type}-data`, title: `Data of a node of the type ${type}` });
  for (const [kind, schema] of Object.entries(stepSchemas))
    names.add(schema as z.ZodType, { id: `${kind}-step`, title: `A step with ${kind}` });
  names.add(edgeSchema, { id: "edge", title: "An edge" });
  names.add(portSchema, { id: "port", title: "A port of a node" });
  names.add(fieldSchema, { id: "field", title: "A field of a form" });
  names.add(sessionNameSchema, { id: "session", title: "A session by its name" });
  names.add(durationSchema, { id: "duration", title: "A length of time" });
  names.add(idSchema, { id: "id", title: "A name" });
  names.add(runInputsSchema, { id: "run-inputs", title: "What a run takes" });
  const made = z.toJSONSchema(workflowFileSchema, { io: "input", metadata: names });
  // Keys with the same values share one schema there; written out, each has its own.
  const { $schema, ...schema } = JSON.parse(JSON.stringify(made)) as Json;
  describeKeys(schema, runnerWords(runners));
  return {
    $schema,
    title: "Reprise workflow",
    description:
      "A workflow that Reprise runs: nodes and edges (long form), or steps by their names (short form).",
    ...schema,
  };
}

type Json = Record<string, unknown>;

/** This version of JSON Schema allows a description beside a reference. */
function describeKeys(schema: Json, runners: readonly string[]): void {
  for (const [name, part] of Object.entries(schema)) {
    if (typeof part !== "object" || part === null) continue;
    describeKeys(part as Json, runners);
    if (name !== "properties") continue;
    const properties = part as Record<string, Json>;
    for (const [key, property] of Object.entries(properties))
      if (Object.hasOwn(keyDescriptions, key)) property.description ??= keyDescriptions[key];
    nameRunners(properties, runners);
  }
}

/** In the long form an agent's `runner`, in the short form the step's `agent`. */
function nameRunners(properties: Record<string, Json>, runners: readonly string[]): void {
  for (const property of [properties.runner, properties.agent])
    if (property?.type === "string") {
      delete property.minLength;
      property.enum = [...runners];
    }
}
