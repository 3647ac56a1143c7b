/**
 * Access: what an agent may do on the machine, one word for all providers. `read` looks and changes nothing,
 * `edit` changes files in the work folder and runs commands in the provider's sandbox (or those that are named),
 * `full` does everything. Here is who may give which word; how it is enforced is each provider's part.
 */

export const accessLevels = ["read", "edit", "full"] as const;
export type Access = (typeof accessLevels)[number];

/** What follows from a denied tool beside the notice: nothing, the turn fails, or a person is asked. */
export const onDeniedChoices = ["note", "fail", "ask"] as const;
export type OnDenied = (typeof onDeniedChoices)[number];

/** What a new agent gets by default. */
export const defaultAccess: Access = "edit";

/** Something that the agent wanted to do and was not let do. */
export interface Denial {
  readonly tool: string;
  /** The command, the path or the pattern, where it is known. */
  readonly detail: string | null;
}

/** `Bash: touch a.txt`, on one line and not longer than a person reads. */
export function denialLine({ tool, detail }: Denial): string {
  if (detail === null) return tool;
  const line = detail.replace(/\s+/g, " ").trim();
  return `${tool}: ${line.length > 120 ? `${line.slice(0, 119)}…` : line}`;
}

export function isAbove(one: Access, other: Access): boolean {
  return accessLevels.indexOf(one) > accessLevels.indexOf(other);
}

export function lower(one: Access, other: Access): Access {
  return isAbove(one, other) ? other : one;
}

export function higher(one: Access, other: Access | null): Access {
  return other !== null && isAbove(other, one) ? other : one;
}

/** Who said what about the access of a turn outside of workflows. */
export interface TurnAccess {
  /** The agent's own word. */
  readonly agent: Access;
  /** What its provider settings give by themselves; null where they say nothing about it. */
  readonly settings: Access | null;
  /** The caller's word for this turn (`--access`). */
  readonly turn: Access | null;
}

export interface GrantedAccess {
  readonly level: Access;
  /**
   * The level was said as a word. Otherwise provider settings give it, and are passed on as they are: so an
   * agent whose settings allow one more tool is shown as `full`, and still gets no more than that tool.
   */
  readonly named: boolean;
}

/** The caller's word counts, up or down; else the agent's, or what its settings give if that is more. */
export function turnAccess({ agent, settings, turn }: TurnAccess): GrantedAccess {
  if (turn !== null) return { level: turn, named: true };
  const level = higher(agent, settings);
  return { level, named: level === agent };
}

/** Who said what about the access of a node. */
export interface NodeAccess {
  /** The workflow's word for the node. */
  readonly node: Access | null;
  /** What the node's own provider settings give by themselves. */
  readonly settings: Access | null;
  /** The agent or class that the node names; null when it names neither. */
  readonly source: GrantedAccess | null;
  /** The caller's word for the whole run (`run --access`). */
  readonly run: Access | null;
  /** The most that a workflow or class may have, from the user's own settings. */
  readonly maxAccess: Access;
}

export type NodeAccessDecision =
  | (GrantedAccess & { readonly allowed: true })
  /** `from` names what asks for more than the user allows. */
  | {
      readonly allowed: false;
      readonly level: Access;
      readonly from: "node" | "settings" | "source";
    };

/**
 * A file may lower access and never raise it above `maxAccess`. The caller's word for the run comes instead of
 * `maxAccess`: it is the most that any node gets, and what nodes get that say nothing.
 */
export function nodeAccess(wanted: NodeAccess): NodeAccessDecision {
  const { node, settings, source, run, maxAccess } = wanted;
  const base = source?.level ?? run ?? lower(defaultAccess, maxAccess);
  // Settings of the file lower as well: `sandbox: read-only` is less than the default.
  const word = node ?? (settings === null ? base : lower(base, settings));
  const level = higher(word, settings);
  const isBySettings =
    level !== word || (node === null && source?.named === false && level === source.level);
  if (run !== null)
    return isAbove(level, run)
      ? { allowed: true, level: run, named: true }
      : { allowed: true, level, named: !isBySettings };
  if (!isAbove(level, maxAccess)) return { allowed: true, level, named: !isBySettings };
  const from = level !== word ? "settings" : node === null ? "source" : "node";
  return { allowed: false, level, from };
}

/** What the shell would make more of than one command with its words. */
const shellOperators = /[;&|<>()$`\n\r]/;

/** A command that may stand in `allowedCommands`: with a shell operator it would never match. */
export function isPlainCommand(command: string): boolean {
  return command.trim() !== "" && !shellOperators.test(command);
}

/** Exactly one of the named commands; `npm test && rm -r .` is none. */
export function isAllowedCommand(command: string, allowed: readonly string[]): boolean {
  return isPlainCommand(command) && allowed.some((each) => each.trim() === command.trim());
}
