/** `reprise workflow schema`: the JSON Schema of workflow files. */

import { readProviders } from "@reprise/engine/load-providers";
import { workflowJsonSchema } from "@reprise/workflow/json-schema";
import type { Cli } from "../cli.ts";

export async function run(cli: Cli): Promise<number> {
  cli.document(workflowJsonSchema((await readProviders(cli)).runners));
  return 0;
}
