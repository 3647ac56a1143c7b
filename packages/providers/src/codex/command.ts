/** The command line of one turn of codex. The prompt comes on standard input. */

import { SessionLostError } from "@reprise/core/errors/errors";
import type { Handle } from "@reprise/core/session/pin";
import type { AgentCommand, LaunchRequest } from "../provider.ts";
import { accessFlags } from "./access.ts";

export const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws SessionLostError for an id that codex would answer with a new session. */
export function command(request: LaunchRequest): AgentCommand {
  return commandWith(request, []);
}

/**
 * Codex compacts a thread by itself before a prompt when its last turn took more tokens than a limit. So it is
 * given the lowest limit, and a prompt that asks for nothing, since it does not start without one.
 */
export function compact(
  request: LaunchRequest & { readonly resume: Handle },
  focus: string | null,
): AgentCommand & { readonly prompt: string } {
  const config = [
    ["model_auto_compact_token_limit", "1"],
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

/** In the place of codex's own words, which take nothing in. */
function compactPrompt(focus: string): string {
  return [
    "You are about to forget this conversation. Write a summary from which you can continue: what was asked for and why,",
    "what was decided, what has been done with which result, what is left to do, and every name, path and value that",
    "is needed for it. What matters most in what follows:",
    "",
    focus,
  ].join("\n");
}

/** What is in `config` comes last, so that it counts. */
function commandWith(request: LaunchRequest, config: readonly string[]): AgentCommand {
  const { binary, runtime, resume, folder, model, schema } = request;
  const access = accessFlags(request);
  return {
    argv: [
      binary,
      "exec",
      "--json",
      "--skip-git-repo-check",
      // Sandbox and folder are not known behind `resume`; model and policy do not stick to a session.
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
 * Codex's own screen on a session; what is only good for unattended turns is left to the person. Its
 * shared server would keep running after the screen is closed, and hold the session's writer lock.
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
    "Send with --reseed to start again from the transcript.",
    `"${id}" is not a UUID`,
  );
}
