/** The command line of one turn of pi. The prompt comes on standard input. */

import { join } from "node:path";
import { SessionLostError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { Handle } from "@reprise/core/session/pin";
import { bridgePath } from "../define-provider.ts";
import type { AgentCommand, LaunchRequest } from "../provider.ts";
import { enforcement } from "./access.ts";
import { extension } from "./bridges.ts";
import { compactCommand, compactVariable } from "./extension.ts";
import { defaultModelIn } from "./home.ts";
import { sessionFolder } from "./session-files.ts";

/** Pi takes the beginning of an id for the id, and anything with a slash for a file, which it creates. */
export const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The model of the settings: a session keeps the one of its last turn. */
export const defaultModel = "default";

/** @throws SessionLostError for an id that pi would take for something else. */
export function command(request: LaunchRequest): AgentCommand {
  return started(request, ["--mode", "json"]);
}

/** Opens a session in pi's own screen. */
export function interactive(request: LaunchRequest & { readonly resume: Handle }): AgentCommand {
  return started(request, []);
}

/** `/compact` works in pi's screen alone; the command of Reprise's extension works in a turn too. */
export function compact(
  request: LaunchRequest & { readonly resume: Handle },
  focus: string | null,
): AgentCommand & { readonly prompt: string } {
  const { argv, env } = started(request, ["--mode", "json"]);
  const has = argv.includes(bridgePath(extension));
  return {
    argv: has ? argv : [...argv, "--extension", bridgePath(extension)],
    env: { ...env, [compactVariable]: "1" },
    prompt: [`/${compactCommand}`, focus?.trim() ?? ""].join(" ").trim(),
  };
}

function started(request: LaunchRequest, mode: readonly string[]): AgentCommand {
  const { binary, runtime, folder } = request;
  const { flags, env } = enforcement(request);
  return {
    argv: [
      binary,
      ...mode,
      // The place where pi keeps the sessions of this folder. Without it the project's settings could name another.
      ...["--session-dir", join(runtime.home, sessionFolder(folder))],
      ...flags,
      ...modelFlags(request),
      ...sessionFlags(request),
    ],
    env: { PI_CODING_AGENT_DIR: runtime.home, ...env },
  };
}

function modelFlags({ model, runtime }: LaunchRequest): string[] {
  const named = model === defaultModel ? defaultModelIn(runtime.home) : model;
  return named === null ? [] : ["--model", named];
}

/** `--session-id` would begin a new session where there is none with that id. */
function sessionFlags({ resume, newId }: LaunchRequest): string[] {
  if (resume !== null) return ["--session", checkedId(resume.id)];
  if (newId === null) throw new TypeError("A new session of pi needs an id.");
  return ["--session-id", newId];
}

function checkedId(id: string): string {
  if (idPattern.test(id)) return id;
  throw new SessionLostError(
    "bad-session-id",
    "The pinned id is not one that pi can resume.",
    `Send with ${option("continuity", "reseed")} to start again from the transcript.`,
    `"${id}" is not a UUID in lower case`,
  );
}
