/** Reads a workflow's file, for the command line and for MCP. */

import { resolve } from "node:path";
import { maxSource } from "@reprise/core/api/run-schemas";
import { DeniedError, NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { type FileLimits, readNamedFile } from "@reprise/engine/named-file";
import { utf8Text } from "./utf8.ts";

export interface WorkflowText {
  readonly text: string;
  /** Null for standard input. */
  readonly path: string | null;
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
