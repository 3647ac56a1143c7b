/** The prompt and the options of commands that begin a turn. */

import { resolve } from "node:path";
import type { Explain } from "@reprise/core/api/reprise";
import { maxPromptBytes } from "@reprise/core/api/schemas";
import { DeniedError, NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { accessLevels, onDeniedChoices } from "@reprise/core/session/access";
import { sessionKey } from "@reprise/core/session/key";
import type { Surface } from "@reprise/core/session/policy";
import { readNamedFile } from "@reprise/engine/named-file";
import { Option } from "commander";
import { utf8Text } from "../../utf8.ts";
import type { Surroundings } from "../cli.ts";
import type { RepriseCommand } from "../help.ts";
import { collect } from "./collection.ts";
import { readStream } from "./stream.ts";

/** Reads the prompt from the argument, standard input or a file, and checks it. */
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

// The options that set what an agent may do, for agents, classes, turns and runs.

export interface AccessOptions {
  readonly access?: (typeof accessLevels)[number];
  readonly allowCommand?: readonly string[];
  readonly onDenied?: (typeof onDeniedChoices)[number];
}

export function accessOption(about: string): Option {
  return new Option("--access <level>", about).choices(accessLevels);
}

/** `--access` described by `about`, `--allow-command` and `--on-denied`. */
export function accessOptions(command: RepriseCommand, about: string): RepriseCommand {
  return command
    .addOption(accessOption(about))
    .option(
      "--allow-command <command>",
      "command that it may run with access edit if its provider has no sandbox; can be repeated",
      collect,
    )
    .addOption(
      new Option(
        "--on-denied <what>",
        "if a tool is denied: note (default), fail, or ask a person",
      ).choices(onDeniedChoices),
    );
}

/** The given options under their names in the API. */
export function accessRequest({ access, allowCommand, onDenied }: AccessOptions) {
  return {
    ...(access && { access }),
    ...(allowCommand && { allowedCommands: [...allowCommand] }),
    ...(onDenied && { onDenied }),
  };
}

// Options that take a name and a value, and can be repeated: `--set key=value`, `--input name=value`.

type Pairs = Readonly<Record<string, string>>;

export const assign = pairs("key=value", "Write --set key=value, as in --set sandbox=read-only.");

export const answering = pairs(
  "question=answer",
  'Write --answer NUMBER="ANSWER", or --answer "QUESTION=ANSWER" with the question as it was asked.',
);

export const giving = pairs("name=value", 'Write --input NAME=VALUE, as in --input task="Fix it."');

export const valuing = pairs(
  "field=value",
  "Write --value FIELD=VALUE, as in --value version=1.4.0.",
);

function pairs(form: string, hint: string) {
  return (text: string, before: Pairs = {}): Record<string, string> => {
    const at = text.indexOf("=");
    const name = text.slice(0, at).trim();
    if (at < 1 || name === "")
      throw new UsageError("bad-setting", `"${text}" is not of the form ${form}.`, hint);
    if (Object.hasOwn(before, name))
      throw new UsageError("given-twice", `"${name}" is given twice.`, "Give it once.");
    return { ...before, [name]: text.slice(at + 1) };
  };
}

// The options that a turn and its explanation share, as the Reprise API takes them.

export interface ContinuityOptions {
  readonly agent?: string;
  readonly reseed?: boolean;
  readonly blank?: boolean;
  readonly folder?: string;
  readonly model?: string;
  readonly surface?: Surface;
  readonly now?: boolean;
}

export function continuityRequest(cwd: string, key: string, options: ContinuityOptions): Explain {
  const { agent, reseed, blank, folder, model, surface, now } = options;
  return {
    key: sessionKey(key),
    agent: agent ?? null,
    continuity: reseed ? "reseed" : blank ? "blank" : null,
    folder: folder === undefined ? null : resolve(cwd, folder),
    model: model ?? null,
    ...(surface && { surface }),
    ...(now && { now }),
  };
}

/** The options by which a turn, or the turns of a run, get a new provider session. */
export function freshOptions(
  command: RepriseCommand,
  about: { readonly reseed: string; readonly blank: string },
): RepriseCommand {
  return command
    .addOption(
      new Option("--reseed", `${about.reseed} (also --fresh, --fresh-session)`).conflicts("blank"),
    )
    .addOption(alias("--fresh"))
    .addOption(alias("--fresh-session"))
    .option("--blank", about.blank);
}

function alias(flag: string): Option {
  return new Option(flag, "alias of --reseed").implies({ reseed: true }).hideHelp();
}

/** Refuses an empty option: `--folder "$DIR"` with DIR unset is a mistake. */
export function nonEmpty(flag: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== "") return text;
    throw new UsageError("empty-option", `${flag} is empty.`, "Give it a value, or leave it out.");
  };
}
