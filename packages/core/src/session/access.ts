/** Access: what an agent may do on the machine, one word for all providers. `read` looks and changes nothing,
 * `edit` changes files in the work folder and runs commands in the provider's sandbox (or those that are named),
 * `full` does everything. This file decides who may grant which level; each provider enforces it.
 */

import { shortLine } from "../text/short-line.ts";

export const accessLevels = ["read", "edit", "full"] as const;
export type Access = (typeof accessLevels)[number];

/** What follows a denied tool besides the notice: nothing, the turn fails, or a person is asked. */
export const onDeniedChoices = ["note", "fail", "ask"] as const;
export type OnDenied = (typeof onDeniedChoices)[number];

/** What a new agent gets by default. */
export const defaultAccess: Access = "edit";

/** Something that the agent tried to do and was denied. */
export interface Denial {
  readonly tool: string;
  /** The command, the path or the pattern, where it is known. */
  readonly detail: string | null;
}

/** `Bash: touch a.txt`, on one short line. */
export function denialLine({ tool, detail }: Denial): string {
  return detail === null ? tool : `${tool}: ${shortLine(detail)}`;
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

/** Everything that determines the access of a turn outside of workflows. */
export interface TurnAccess {
  /** The agent's own level. */
  readonly agent: Access;
  /** The level that its provider settings grant; null if they do not set any. */
  readonly settings: Access | null;
  /** The caller's level for this turn (`--access`). */
  readonly turn: Access | null;
}

export interface GrantedAccess {
  readonly level: Access;
  /**
   * The level was set explicitly. Otherwise it follows from provider settings, which are passed on unchanged:
   * an agent whose settings allow one more tool is shown as `full` but gets only that tool.
   */
  readonly named: boolean;
}

/** The caller's level wins, up or down; else the agent's, or what its settings grant if that is more. */
export function turnAccess({ agent, settings, turn }: TurnAccess): GrantedAccess {
  if (turn !== null) return { level: turn, named: true };
  const level = higher(agent, settings);
  return { level, named: level === agent };
}

/** Everything that determines the access of a node. */
export interface NodeAccess {
  /** The level that the workflow sets for the node. */
  readonly node: Access | null;
  /** The level that the node's own provider settings grant. */
  readonly settings: Access | null;
  /** The agent or class that the node names; null when it names neither. */
  readonly source: GrantedAccess | null;
  /** The caller's level for the whole run (`run --access`). */
  readonly run: Access | null;
  /** The highest level that a workflow or class may have, from the user's own settings. */
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
 * A file may lower access but never raise it above `maxAccess`. The caller's level for the run replaces
 * `maxAccess`: it is the highest level of any node, and the level of nodes that set none.
 */
export function nodeAccess(wanted: NodeAccess): NodeAccessDecision {
  const { node, settings, source, run, maxAccess } = wanted;
  const base = source?.level ?? run ?? lower(defaultAccess, maxAccess);
  // Settings in the file can lower access too: `sandbox: read-only` is less than the default.
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

/** Characters with which the shell would run more than one plain command. */
const shellOperators = /[;&|<>()$`\n\r]/;

/** Whether a command may be listed in `allowedCommands`: one with a shell operator would never match. */
export function isPlainCommand(command: string): boolean {
  return command.trim() !== "" && !shellOperators.test(command);
}

/** Exactly one of the listed commands; `npm test && rm -r .` does not match `npm test`. */
export function isAllowedCommand(command: string, allowed: readonly string[]): boolean {
  return isPlainCommand(command) && allowed.some((each) => each.trim() === command.trim());
}
