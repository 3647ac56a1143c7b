/** Reads a workflow's text: from a file, or from standard input for `-`. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { DeniedError, NotFoundError, UsageError } from "@reprise/core/errors/errors";
import type { Surroundings } from "../surroundings.ts";

export interface WorkflowText {
  readonly text: string;
  /** Null for standard input. */
  readonly path: string | null;
}

export async function readWorkflow(
  { stdin, cwd }: Pick<Surroundings, "stdin" | "cwd">,
  file: string,
): Promise<WorkflowText> {
  if (file === "-") return { text: await readAll(stdin), path: null };
  return readWorkflowFile(cwd, file);
}

export async function readWorkflowFile(cwd: string, file: string): Promise<WorkflowText> {
  const path = resolve(cwd, file);
  try {
    return { text: await readFile(path, "utf8"), path };
  } catch (error) {
    throw fileError(file, error);
  }
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
        `The workflow ${file} can not be read.`,
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
