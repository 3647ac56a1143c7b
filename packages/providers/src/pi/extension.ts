/**
 * Reprise's extension of pi: it denies the tool calls that the access does not allow, and has the command that compacts
 * a session, which pi has in its own screen alone. Pi loads it in its own process.
 */

import { denialOf, type PiToolCall, rulesVariable, type ToolRules } from "./rules.ts";

interface Context {
  readonly cwd: string;
  compact(options: {
    readonly customInstructions?: string;
    readonly onComplete: () => void;
    readonly onError: () => void;
  }): void;
}

/** What is used here of pi's own interface for extensions. */
interface Pi {
  on(
    event: "tool_call",
    handler: (call: PiToolCall, context: Context) => { block: true; reason: string } | undefined,
  ): void;
  registerCommand(
    name: string,
    command: {
      readonly description: string;
      readonly handler: (focus: string, context: Context) => Promise<void>;
    },
  ): void;
}

/** The command that compacts the session; only a launch that compacts has it, so no prompt can run it. */
export const compactCommand = "reprise-compact";
export const compactVariable = "REPRISE_PI_COMPACT";

/**
 * Pi calls the default export.
 * @public
 */
export default function reprise(pi: Pi): void {
  const given = process.env[rulesVariable];
  if (given !== undefined) {
    const rules = JSON.parse(given) as ToolRules;
    pi.on("tool_call", (call, { cwd }) => {
      const reason = denialOf(rules, call, cwd);
      return reason === null ? undefined : { block: true, reason };
    });
  }
  if (process.env[compactVariable] !== undefined)
    pi.registerCommand(compactCommand, {
      description: "Compacts the session.",
      // How it ended is among the events that pi prints.
      handler: (focus, context) =>
        new Promise((done) => {
          context.compact({
            ...(focus && { customInstructions: focus }),
            onComplete: done,
            onError: done,
          });
        }),
    });
}
