/** The command line of one turn of opencode. The prompt comes on standard input. */

import { SessionLostError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { Handle } from "@reprise/core/session/pin";
import { bridgePath } from "../define-provider.ts";
import type { AgentCommand, LaunchRequest } from "../provider.ts";
import { enforcement } from "./access.ts";
import { starter } from "./bridges.ts";
import { configuration } from "./configuration.ts";
import { homeVariables } from "./home.ts";
import type { OpencodeOrder } from "./start.ts";

/** Opencode begins a new session for an empty id, without a word. */
export const idPattern = /^ses_[0-9a-f]{12}[0-9A-Za-z]{14}$/;

/** @throws SessionLostError for an id that opencode would take for no session. */
export function command(request: LaunchRequest): AgentCommand {
  const { resume, fork = false, folder, model } = request;
  return started(request, [
    "run",
    "--format=json",
    // Otherwise opencode takes the folder from $PWD; a session that belongs to another one never answers.
    `--dir=${folder}`,
    ...enforcement(request).flags,
    ...(model === null ? [] : [`--model=${model}`]),
    // Opencode asks the model for a title unless the session has one.
    ...(resume === null ? ["--title=Reprise"] : [`--session=${checkedId(resume.id)}`]),
    ...(fork ? ["--fork"] : []),
  ]);
}

/** Opens a session in opencode's own screen, where opencode asks the person directly. */
export function interactive(request: LaunchRequest & { readonly resume: Handle }): AgentCommand {
  const { folder, resume } = request;
  const { flags } = enforcement(request);
  return started(request, [folder, ...flags, `--session=${checkedId(resume.id)}`]);
}

function started(request: LaunchRequest, args: readonly string[]): AgentCommand {
  const { agent, binary, resume, fork = false, folder } = request;
  const { commands, env } = enforcement(request);
  const order: OpencodeOrder = {
    session: resume?.id ?? null,
    fork,
    folder,
    place: resume?.place ?? null,
    shell: commands && { commands, folder: agent.privateFolder },
  };
  return {
    argv: [process.execPath, bridgePath(starter), JSON.stringify(order), binary, ...args],
    env: {
      ...homeVariables(agent),
      ...env,
      PWD: folder,
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_CONFIG_CONTENT: configuration(request),
    },
  };
}

function checkedId(id: string): string {
  if (idPattern.test(id)) return id;
  throw new SessionLostError(
    "bad-session-id",
    "The pinned id is not one that opencode can resume.",
    `Send with ${option("continuity", "reseed")} to start again from the transcript.`,
    `"${id}" is not an id of opencode`,
  );
}
