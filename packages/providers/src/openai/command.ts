/** The command line of one turn of an API model. The prompt comes on standard input, the key from the environment. */

import type { Handle } from "@reprise/core/session/pin";
import type { AgentCommand, LaunchRequest } from "../provider.ts";
import { parametersIn } from "./parameters.ts";
import { addressOf, keyOf, keyVariable } from "./settings.ts";

/** The focus of the summary is read instead of a prompt. */
export function compact(
  request: LaunchRequest & { readonly resume: Handle },
  focus: string | null,
): AgentCommand & { readonly prompt: string } {
  const { argv, env } = command(request);
  return { argv: [...argv, "--compact"], env, prompt: focus ?? "" };
}

export function command(request: LaunchRequest): AgentCommand {
  const { agent, binary, runtime, resume, newId, model, schema } = request;
  const { settings } = agent;
  const named = model ?? settings.model;
  const key = keyOf(agent);
  const inPrompt = settings.schemas === "prompt";
  return {
    argv: [
      process.execPath,
      binary,
      `--home=${resume?.place ?? runtime.home}`,
      sessionFlag(resume?.id ?? null, newId),
      `--base-url=${addressOf(agent)}`,
      ...(named === undefined ? [] : [`--model=${named}`]),
      ...(settings.contextTokens === undefined
        ? []
        : [`--context-tokens=${settings.contextTokens}`]),
      ...(schema ? [`--schema=${schema.file}`] : []),
      ...(schema && inPrompt ? ["--schema-in-prompt"] : []),
      ...parametersIn(settings).map(([name, value]) => `--param=${name}=${value}`),
    ],
    env: key === undefined ? {} : { [keyVariable]: key },
  };
}

function sessionFlag(resume: string | null, newId: string | null): string {
  if (resume !== null) return `--resume=${resume}`;
  if (newId === null) throw new TypeError("A new conversation with an API model needs an id.");
  return `--session-id=${newId}`;
}
