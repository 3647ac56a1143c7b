/**
 * Access as gemini enforces it. Without a person, gemini denies what it would ask about; `read` and `edit` add rules of
 * the highest tier, which gemini's own settings, policies and flags do not override (tried with 0.61.0).
 */

import { existsSync } from "node:fs";
import type { Access } from "@reprise/core/session/access";
import type { LaunchRequest } from "../provider.ts";
import { type PolicyRule, policyText } from "./policy.ts";

type Settings = Readonly<Record<string, string>>;

const givenByMode: Readonly<Record<string, Access>> = {
  default: "read",
  plan: "read",
  auto_edit: "edit",
  yolo: "full",
};

export function given({ approvalMode = "" }: Settings): Access | null {
  return givenByMode[approvalMode] ?? null;
}

const shell = "run_shell_command";
const writing = ["write_file", "replace"];
/** Tools that change something, whether or not this version has them; a mode for plans writes files, too. */
const changing = [...writing, "save_memory", "enter_plan_mode", "exit_plan_mode"];
const foreign = ["mcp_*", "discovered_tool_*"];
const reading = ["read_file", "read_many_files", "list_directory", "glob", "grep_search"];
/** The arguments with which these tools name a file or folder. */
const paths = ["file_path", "dir_path", "path", "absolute_path"];

export interface Enforcement {
  readonly mode: string;
  /** Folders beside the work folder that the agent may look into. */
  readonly folders: readonly string[];
  /** Null: nothing but gemini's own rules. */
  readonly policy: string | null;
}

export function enforcement({ agent, access }: LaunchRequest): Enforcement {
  const { level, named, allowedCommands, hidden } = access;
  const { approvalMode = "default" } = agent.settings;
  if (level === "full") return { mode: named ? "yolo" : approvalMode, folders: [], policy: null };
  const folders = [...(agent.readable ?? []), ...access.readable].filter((path) =>
    existsSync(path),
  );
  const rules: PolicyRule[] = [
    ...hidden.map((path) => deny([...reading, ...writing], 950, { within: path })),
    ...(level === "read"
      ? [deny([shell, ...changing, ...foreign], 900)]
      : [
          deny([shell, "save_memory", "enter_plan_mode", "exit_plan_mode"], 900),
          // Gemini lets an agent write to every folder that it may look into.
          ...folders.map((path) => deny(writing, 940, { within: path })),
          deny(writing, 940, { upwards: true }),
          ...allowedCommands.map(allowCommand),
        ]),
  ];
  return {
    mode: level === "edit" ? "auto_edit" : "default",
    folders,
    policy: policyText(rules),
  };
}

function deny(
  tools: readonly string[],
  priority: number,
  value?: NonNullable<PolicyRule["argument"]>["value"],
): PolicyRule {
  const rule = { tools, decision: "deny", priority } as const;
  return value ? { ...rule, argument: { names: paths, value } } : rule;
}

function allowCommand(command: string): PolicyRule {
  const argument = { names: ["command"], value: { exactly: command } };
  return { tools: [shell], decision: "allow", priority: 910, argument };
}
