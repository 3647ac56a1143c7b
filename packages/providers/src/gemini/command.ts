/** The command line of one turn of gemini. The prompt comes on standard input. */

import { SessionLostError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { Handle } from "@reprise/core/session/pin";
import { bridgePath } from "../define-provider.ts";
import type { AgentCommand, LaunchRequest } from "../provider.ts";
import { enforcement } from "./access.ts";
import { starter } from "./bridges.ts";
import type { StartOrder } from "./start.ts";

/** Gemini takes a number for a position in its list of sessions, and `latest` for the newest. */
export const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws SessionLostError for an id that gemini would take for another session. */
export function command(request: LaunchRequest): AgentCommand {
  return started(request, ["--output-format=stream-json"]);
}

/** Opens a session in gemini's own screen, where gemini asks the person directly. */
export function interactive(request: LaunchRequest & { readonly resume: Handle }): AgentCommand {
  return started(request, []);
}

function started(request: LaunchRequest, flags: readonly string[]): AgentCommand {
  const { agent, binary, runtime, resume, model, access } = request;
  const { mode, folders, policy } = enforcement(request);
  const order: StartOrder = {
    session: resume && { id: checkedId(resume.id), place: resume.place },
    policy: policy === null ? null : { text: policy, folder: agent.privateFolder },
  };
  return {
    argv: [
      process.execPath,
      bridgePath(starter),
      JSON.stringify(order),
      binary,
      ...flags,
      // Without it gemini does not start in a folder that it does not know.
      "--skip-trust",
      // A session keeps neither mode nor model.
      `--approval-mode=${mode}`,
      ...(folders.length > 0 ? [`--include-directories=${folders.join(",")}`] : []),
      ...(model === null ? [] : [`--model=${model}`]),
      sessionFlag(request),
    ],
    env: {
      GEMINI_CLI_HOME: runtime.home,
      // Otherwise gemini is a launcher that ignores signals, and a child that outlives it.
      GEMINI_CLI_NO_RELAUNCH: "true",
      // Gemini reads this before its flags: settings and variables of the project are not loaded.
      ...(access.level !== "full" && { GEMINI_CLI_TRUST_WORKSPACE: "false" }),
      ...(agent.env.NO_BROWSER === undefined && { NO_BROWSER: "true" }),
    },
  };
}

function sessionFlag({ resume, newId }: LaunchRequest): string {
  if (resume !== null) return `--resume=${resume.id}`;
  if (newId === null) throw new TypeError("A new session of gemini needs an id.");
  return `--session-id=${newId}`;
}

function checkedId(id: string): string {
  if (idPattern.test(id)) return id;
  throw new SessionLostError(
    "bad-session-id",
    "The pinned id is not one that gemini can resume.",
    `Send with ${option("continuity", "reseed")} to start again from the transcript.`,
    `"${id}" is not a UUID in lower case`,
  );
}
