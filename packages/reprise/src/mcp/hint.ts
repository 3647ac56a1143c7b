/** What a hint tells a model to do: a tool by its name where there is one, else a command for a person. */

import { asCommands } from "@reprise/core/api/verb-commands";
import { renderHint } from "@reprise/core/errors/hint";

const tools: Readonly<Record<string, string>> = {
  "sessions.send": "continue_session",
  "sessions.explain": "explain_session",
  "sessions.list": "list_sessions",
  "sessions.fork": "fork_session",
  "turns.why": "get_turn",
  "turns.cancel": "cancel_turn",
  "runs.show": "get_run",
  "runs.rerun": "rerun_workflow",
  "runs.cancel": "cancel_run",
  "inbox.list": "list_inbox",
  "inbox.answer": "answer_inbox",
};

/** Two hints may name one tool, for two choices. */
function withChoice(input: unknown): string {
  const { choice } = (input ?? {}) as { readonly choice?: unknown };
  return typeof choice === "string" ? ` with choice: "${choice}"` : "";
}

export function asTools(text: string): string {
  const named = renderHint(text, {
    verb: (name, [input]) =>
      Object.hasOwn(tools, name) ? `the tool ${tools[name]}${withChoice(input)}` : null,
    option: (name, value) => (value === undefined ? `"${name}"` : `"${name}: ${value}"`),
    command: (words) => `"reprise ${words}"`,
  });
  return asCommands(named);
}
