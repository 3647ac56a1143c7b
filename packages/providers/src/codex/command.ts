/** The command line of one turn of codex. The prompt comes on standard input. */

import { SessionLostError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { Handle } from "@reprise/core/session/pin";
import { compactPrompt } from "../compact-prompt.ts";
import type { AgentCommand, LaunchRequest } from "../provider.ts";
import { accessFlags } from "./access.ts";

export const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws SessionLostError for an id that codex would answer with a new session. */
export function command(request: LaunchRequest): AgentCommand {
  return commandWith(request, []);
}

/**
 * Codex compacts a thread before a prompt when the last turn used more tokens than a limit. So it gets the lowest
 * limit, and a prompt that asks for nothing, since codex does not start without one.
 */
export function compact(
  request: LaunchRequest & { readonly resume: Handle },
  focus: string | null,
): AgentCommand & { readonly prompt: string } {
  const config = [
    ["model_auto_compact_token_limit", "1"],
    // Replaces codex's own prompt, which has no place for a focus.
    ...(focus === null ? [] : [["compact_prompt", JSON.stringify(compactPrompt(focus))]]),
  ];
  return {
    ...commandWith(
      request,
      config.map(([key, value]) => `--config=${key}=${value}`),
    ),
    prompt:
      "This conversation has been compacted. Nothing is asked for now: answer OK, and do nothing else.",
  };
}

/** `config` comes last, so that it overrides the rest. */
function commandWith(request: LaunchRequest, config: readonly string[]): AgentCommand {
  const { binary, runtime, resume, folder, model, schema } = request;
  const access = accessFlags(request);
  return {
    argv: [
      binary,
      "exec",
      "--json",
      "--skip-git-repo-check",
      // Codex does not accept sandbox and folder after `resume`; a session does not keep model and policy.
      ...access.sandbox,
      `--cd=${folder}`,
      ...(model === null ? [] : [`--model=${model}`]),
      ...(schema ? [`--output-schema=${schema.file}`] : []),
      // Each of the first two alone keeps the process 5 s longer when offline; without the third
      // it never gives up on a refused connection.
      "--config=analytics.enabled=false",
      "--disable=plugins",
      "--disable=unbounded_connection_retries",
      ...access.config,
      ...config,
      ...(resume === null ? [] : [request.fork ? "fork" : "resume", checkedId(resume.id)]),
      "-",
    ],
    env: { CODEX_HOME: runtime.home },
  };
}

/**
 * Opens a session in codex's own screen, without the settings for unattended turns. `--no-daemon`: codex's shared
 * server would keep running after the screen is closed, and hold the session's writer lock.
 */
export function interactive(request: LaunchRequest & { readonly resume: Handle }): AgentCommand {
  const { binary, runtime, resume, folder, model } = request;
  const access = accessFlags(request);
  return {
    argv: [
      binary,
      "--no-daemon",
      ...access.sandbox,
      `--cd=${folder}`,
      ...(model === null ? [] : [`--model=${model}`]),
      ...access.config,
      "resume",
      checkedId(resume.id),
    ],
    env: { CODEX_HOME: runtime.home },
  };
}

/** Codex takes anything but a UUID for a thread's name and, if no thread has that name, starts a new session with exit code 0. */
function checkedId(id: string): string {
  if (idPattern.test(id)) return id;
  throw new SessionLostError(
    "bad-session-id",
    "The pinned id is not one that codex can resume.",
    `Send with ${option("continuity", "reseed")} to start again from the transcript.`,
    `"${id}" is not a UUID`,
  );
}
