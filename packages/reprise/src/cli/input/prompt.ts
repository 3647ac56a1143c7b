/** Reads the prompt from the argument, standard input or a file, and checks it. */

import { resolve } from "node:path";
import { maxPromptBytes } from "@reprise/core/api/schemas";
import { DeniedError, NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { readNamedFile } from "@reprise/engine/named-file";
import { utf8Text } from "../../utf8.ts";
import type { Surroundings } from "../surroundings.ts";
import { readStream } from "./stream.ts";

export async function readPrompt(
  { stdin, cwd }: Pick<Surroundings, "stdin" | "cwd">,
  argument: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (argument !== undefined && file !== undefined)
    throw new UsageError(
      "two-prompts",
      "The prompt was given twice, as an argument and with --file.",
      "Give only one of them.",
    );
  const prompt =
    file !== undefined
      ? await readFile(resolve(cwd, file))
      : argument === "-"
        ? utf8Text(await readStream(stdin, maxPromptBytes, tooLong), "The prompt")
        : argument;
  if (prompt === undefined)
    throw new UsageError(
      "no-prompt",
      "There is no prompt.",
      "Give it as an argument, as - from standard input, or with --file PATH.",
    );
  if (prompt.trim() === "")
    throw new UsageError("empty-prompt", "The prompt is empty.", "Say what the agent should do.");
  if (Buffer.byteLength(prompt) > maxPromptBytes) throw tooLong();
  return prompt;
}

async function readFile(path: string): Promise<string> {
  try {
    // At a shell, `<(command)` is a pipe.
    const limits = { limit: maxPromptBytes, what: "prompt file", pipes: true };
    return utf8Text(await readNamedFile(path, limits), `The prompt file ${path}`);
  } catch (error) {
    throw fileError(path, error);
  }
}

function tooLong(): UsageError {
  return new UsageError(
    "prompt-too-long",
    `The prompt is longer than ${maxPromptBytes / 1024 / 1024} MiB.`,
    "Put the material into a file in the work folder and name it in the prompt.",
  );
}

function fileError(path: string, error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "file-too-large":
      return tooLong();
    case "ENOENT":
    case "ENOTDIR":
      return new NotFoundError(
        "no-file",
        `The prompt file ${path} does not exist.`,
        "Check the path after --file.",
      );
    case "EACCES":
    case "EPERM":
      return new DeniedError(
        "file-denied",
        `The prompt file ${path} cannot be read.`,
        "Check its permissions.",
      );
    case "EISDIR":
      return new UsageError(
        "file-is-folder",
        `The prompt file ${path} is a folder.`,
        "Name a file after --file.",
      );
    default:
      return error;
  }
}
