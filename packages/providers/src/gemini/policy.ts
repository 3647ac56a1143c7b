/** Rules of gemini's policy engine, as TOML. Gemini drops a whole file with a rule that it cannot read. */

export interface PolicyRule {
  /** Names of tools, with `*` at the end for any rest. */
  readonly tools: readonly string[];
  readonly decision: "allow" | "deny";
  /** The higher one wins, from 0 to 999. */
  readonly priority: number;
  /** Only calls with this argument. */
  readonly argument?: { readonly names: readonly string[]; readonly value: ArgumentValue };
}

/** Exactly this text, a path or anything below it, or a path that leads upwards. */
export type ArgumentValue =
  | { readonly exactly: string }
  | { readonly within: string }
  | { readonly upwards: true };

/** Gemini refuses longer patterns. */
const longestPattern = 2048;

/** A rule whose pattern gemini would refuse is left out; so it must not be one that denies. */
export function policyText(rules: readonly PolicyRule[]): string {
  return rules.flatMap((rule) => ruleText(rule) ?? []).join("\n");
}

function ruleText({ tools, decision, priority, argument }: PolicyRule): string | null {
  const pattern = argument && patternOf(argument);
  if (pattern && pattern.length > longestPattern) return null;
  const lines = [
    "[[rule]]",
    `toolName = [${tools.map((tool) => JSON.stringify(tool)).join(", ")}]`,
    `decision = "${decision}"`,
    `priority = ${priority}`,
    ...(pattern ? [`argsPattern = ${JSON.stringify(pattern)}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * Gemini (0.61) matches the arguments as JSON, in which a NUL is before and after each argument: text inside a value
 * cannot pass for one.
 */
function patternOf({ names, value }: NonNullable<PolicyRule["argument"]>): string {
  const name = names.length === 1 ? names[0] : `(${names.join("|")})`;
  return `\\x00"${name}":"${valuePattern(value)}`;
}

function valuePattern(value: ArgumentValue): string {
  if ("exactly" in value) return `${literal(value.exactly)}"\\x00`;
  if ("within" in value) return `${literal(value.within)}["/]`;
  return `([^"]*/)?\\.\\.["/]`;
}

/** Every character that may mean something in a pattern is written as its code. */
function literal(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^A-Za-z0-9_]/g, (character) =>
      [...Array(character.length).keys()]
        .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
        .join(""),
    );
}
