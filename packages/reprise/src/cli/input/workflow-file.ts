/** Reads a workflow's text: from a file, or from standard input for `-`. */

import { resolve } from "node:path";
import { maxSource } from "@reprise/core/api/run-schemas";
import { DeniedError, NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { type FileLimits, readNamedFile } from "@reprise/engine/named-file";
import type { Surroundings } from "../surroundings.ts";
import { readStream } from "./stream.ts";
import { utf8Text } from "./utf8.ts";

export interface WorkflowText {
  readonly text: string;
  /** Null for standard input. */
  readonly path: string | null;
}

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

export async function readWorkflowFile(
  cwd: string,
  file: string,
  options: Pick<FileLimits, "pipes"> = {},
): Promise<WorkflowText> {
  const path = resolve(cwd, file);
  try {
    const limits = { limit: maxSource, what: "workflow", ...options };
    return { text: utf8Text(await readNamedFile(path, limits), `The workflow ${file}`), path };
  } catch (error) {
    throw fileError(file, error);
  }
}

function tooLarge(): UsageError {
  return new UsageError(
    "file-too-large",
    `The workflow has more than ${maxSource / 1024 / 1024} MiB.`,
    "Make it smaller, or move its material to files in the work folder.",
  );
}

function fileError(file: string, error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
    case "ENOTDIR":
      return new NotFoundError(
        "no-file",
        `The workflow ${file} does not exist.`,
        "Check the path.",
      );
    case "EACCES":
    case "EPERM":
      return new DeniedError(
        "file-denied",
        `The workflow ${file} cannot be read.`,
        "Check its permissions.",
      );
    case "EISDIR":
      return new UsageError(
        "file-is-folder",
        `The workflow ${file} is a folder.`,
        "Name a file in it.",
      );
    default:
      return error;
  }
}
