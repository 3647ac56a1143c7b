/**
 * Access as pi enforces it. It has no sandbox and no rules of its own: a tool that it is not started with is not there,
 * and Reprise's extension judges each call of the others.
 */

import type { Access } from "@reprise/core/session/access";
import { bridgePath } from "../define-provider.ts";
import type { LaunchRequest } from "../provider.ts";
import { extension } from "./bridges.ts";
import { rulesVariable, type ToolRules } from "./rules.ts";

type Settings = Readonly<Record<string, string>>;

const reading = ["read", "grep", "find", "ls"];
const writing = ["edit", "write"];

/** Other tools work outside of every rule here. */
export function given({ tools }: Settings): Access | null {
  if (tools === undefined) return null;
  return tools.split(",").every((tool) => reading.includes(tool)) ? "read" : "full";
}

export interface PiEnforcement {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function enforcement({ agent, access, folder }: LaunchRequest): PiEnforcement {
  const { level, named, allowedCommands: commands, hidden } = access;
  const { tools } = agent.settings;
  if (level === "full")
    return { flags: named || tools === undefined ? [] : ["--tools", tools], env: {} };
  const edits = level === "edit";
  const offered = [
    ...reading,
    ...(edits ? writing : []),
    ...(edits && commands.length > 0 ? ["bash"] : []),
  ];
  const rules: ToolRules = {
    writable: edits ? folder : null,
    commands: edits ? commands : [],
    hidden,
  };
  return {
    flags: [
      // The project's settings could name extensions, and a prefix of every command.
      "--no-approve",
      // Extensions and MCP servers work outside of every rule here.
      "--no-extensions",
      ...["--extension", bridgePath(extension)],
      ...["--tools", offered.join(",")],
    ],
    env: { [rulesVariable]: JSON.stringify(rules) },
  };
}
