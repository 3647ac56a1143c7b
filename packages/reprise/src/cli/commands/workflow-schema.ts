/** `reprise workflow schema`: the JSON Schema of workflow files. */

import { workflowJsonSchema } from "@reprise/core/workflow/json-schema";
import type { Cli } from "../cli.ts";

export async function run(cli: Cli): Promise<number> {
  cli.document(workflowJsonSchema());
  return 0;
}
