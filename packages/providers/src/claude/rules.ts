/** Claude's permission rules (`Edit`, `Bash(git *)`), read to tell which calls need no question. */

export interface HookCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
}

/** Given instead of rules: the hook sees every call, and acts only on the one that was deferred before. */
export const everyCall = "--every-call";

/** Splits a setting at commas and spaces, except within parentheses. */
export function splitRules(setting: string): string[] {
  return setting.match(/[^\s,(]+(\([^)]*\))?/g) ?? [];
}

/**
 * Whether a rule matches the call. That is not yet a permission: claude judges the call itself, and more strictly
 * (a rule for `git` does not allow `git status; rm -r .`).
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
