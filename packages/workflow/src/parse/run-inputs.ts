/** The inputs of a run, as a file declares them: `task: string`. */

import type { z } from "zod";
import type { runInputsSchema } from "../document/values.ts";
import type { Port } from "../graph.ts";
import { checkDefault } from "./default-check.ts";
import type { FileReading } from "./schema-check.ts";
import type { Path } from "./source.ts";

export function runInputPorts(
  inputs: z.output<typeof runInputsSchema> | undefined,
  reading: FileReading,
): Port[] {
  return Object.entries(inputs ?? {}).map(([name, written]) => {
    const input = typeof written === "string" || written === null ? {} : written;
    const hasDefault = "default" in input;
    const port = {
      name,
      type: typeof written === "string" ? written : (input.type ?? "string"),
      required: input.required ?? !hasDefault,
      ...(hasDefault ? { default: input.default } : {}),
      description: input.description ?? null,
    };
    checkRunInput(port, ["inputs", name], reading);
    return port;
  });
}

export function checkRunInput(port: Port, path: Path, reading: FileReading): void {
  checkDefault({ ...port, name: `the input "${port.name}"`, isRead: true }, path, reading);
}
