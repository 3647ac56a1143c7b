/** Further parameters of a request, as the agent's settings `param.KEY` give them. */

import { UsageError } from "@reprise/core/errors/errors";

const prefix = "param.";
const grammar = /^[a-z][a-z0-9_]*$/;

/** What Reprise itself sends, and what would make the answer another one than it reads. */
const refused = [
  ...["model", "messages", "stream", "stream_options", "response_format", "n"],
  ...["tools", "tool_choice", "functions", "function_call", "api_key", "user_key"],
];

/** @throws UsageError for a parameter that cannot be set. */
export function parametersIn(
  settings: Readonly<Record<string, string>>,
): readonly (readonly [key: string, value: string])[] {
  return Object.entries(settings)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => {
      const key = name.slice(prefix.length);
      if (!grammar.test(key) || refused.includes(key))
        throw new UsageError(
          "bad-setting",
          `The setting ${name} is not allowed.`,
          "Set a parameter of the service that Reprise does not send itself, as in param.temperature=0.2.",
        );
      return [key, value];
    });
}

/** JSON where it is JSON, otherwise text: `0.2`, `true`, `{"effort":"high"}`, `high`. */
export function parameterValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
