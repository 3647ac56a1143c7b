/** `reprise workflow schema`: the JSON Schema of workflow files. */

import { workflowJsonSchema } from "@reprise/core/workflow/json-schema";
import { readProviders } from "@reprise/engine/load-providers";
import type { Cli } from "../cli.ts";

export async function run(cli: Cli): Promise<number> {
  cli.document(workflowJsonSchema((await readProviders(cli)).runners));
  return 0;
}
