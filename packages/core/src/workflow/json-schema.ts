/** The JSON Schema of workflow files, for editors and other programs; made from the schemas that files are read with. */

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

export function workflowJsonSchema(): Record<string, unknown> {
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
  const { $schema, ...schema } = z.toJSONSchema(workflowFileSchema, {
    io: "input",
    metadata: names,
    override: ({ jsonSchema }) => describeKeys(jsonSchema),
  });
  return {
    $schema,
    title: "Reprise workflow",
    description:
      "A workflow that Reprise runs: nodes and edges (long form), or steps by their names (short form).",
    ...schema,
  };
}

/** A reference may stand beside a description in this version of JSON Schema. */
function describeKeys({ properties }: z.core.JSONSchema.BaseSchema): void {
  for (const [key, property] of Object.entries(properties ?? {})) {
    const description = Object.hasOwn(keyDescriptions, key) ? keyDescriptions[key] : undefined;
    if (typeof property === "object" && description) property.description ??= description;
  }
}
