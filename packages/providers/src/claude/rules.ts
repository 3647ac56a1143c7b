/** Claude's permission rules (`Edit`, `Bash(git *)`), as far as it takes to know what need not be asked. */

export interface HookCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
}

/** In place of rules: the hook sees every call, and speaks only about the one that was deferred before. */
export const everyCall = "--every-call";

/** Rules as they are written in a setting: commas or spaces between them, but for those in parentheses. */
export function splitRules(setting: string): string[] {
  return setting.match(/[^\s,(]+(\([^)]*\))?/g) ?? [];
}

/**
 * A rule names the call. It is not a permission: claude still judges the call itself, and does so more
 * strictly (a rule for `git` does not allow `git status; rm -r .`).
 */
export function isCovered({ tool_name, tool_input }: HookCall, rules: readonly string[]): boolean {
  const subject = tool_input.command ?? tool_input.file_path ?? tool_input.url ?? "";
  return rules.some((rule) => {
    const [, name, pattern] = /^([^(]+)(?:\((.*)\))?$/.exec(rule) ?? [];
    if (name !== tool_name) return false;
    return pattern === undefined || globOf(pattern).test(String(subject));
  });
}

/** `git *` and the older `git:*` both mean `git` with anything after it. */
function globOf(pattern: string): RegExp {
  const parts = pattern.replace(/:\*$/, " *").split("*");
  const literal = parts.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join(".*").replace(/ \.\*$/, "( .*)?")}$`, "s");
}
