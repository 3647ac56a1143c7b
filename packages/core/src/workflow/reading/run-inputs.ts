/** What a run takes, as a file names it: `task: string`. */

import type { z } from "zod";
import type { runInputsSchema } from "../document/values.ts";
import type { Port } from "../graph.ts";

export function runInputPorts(inputs: z.output<typeof runInputsSchema>): Port[] {
  return Object.entries(inputs).map(([name, written]) => {
    const input = typeof written === "string" || written === null ? {} : written;
    const hasDefault = "default" in input;
    return {
      name,
      type: typeof written === "string" ? written : (input.type ?? "string"),
      required: input.required ?? !hasDefault,
      ...(hasDefault ? { default: input.default } : {}),
      description: input.description ?? null,
    };
  });
}
