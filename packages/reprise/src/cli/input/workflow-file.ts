/** Reads a workflow's text: from a file, or from standard input for `-`. */

import { maxSource } from "@reprise/core/api/run-schemas";
import { UsageError } from "@reprise/core/errors/errors";
import { utf8Text } from "../../utf8.ts";
import { readWorkflowFile, type WorkflowText } from "../../workflow-file.ts";
import type { Surroundings } from "../cli.ts";
import { readStream } from "./stream.ts";

export async function readWorkflow(
  { stdin, cwd }: Pick<Surroundings, "stdin" | "cwd">,
  file: string,
): Promise<WorkflowText> {
  if (file === "-") {
    const bytes = await readStream(stdin, maxSource, tooLarge);
    return { text: utf8Text(bytes, "The workflow"), path: null };
  }
  // At a shell, `<(command)` is a pipe.
  return readWorkflowFile(cwd, file, { pipes: true });
}

function tooLarge(): UsageError {
  return new UsageError(
    "file-too-large",
    `The workflow has more than ${maxSource / 1024 / 1024} MiB.`,
    "Make it smaller, or move its material to files in the work folder.",
  );
}
