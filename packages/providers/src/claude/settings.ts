/** The settings of a claude agent. There is none for further arguments, so no session flag can come in. */

import { isAbsolute } from "node:path";
import { UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import { checkAgentSettings } from "../settings.ts";

type Settings = Readonly<Record<string, string>>;

export const settingNames = {
  binary:
    "Programs of claude, a comma between them: the first that exists is taken; by default the claude on the PATH.",
  home: "CLAUDE_CONFIG_DIR of this agent; by default the one of the environment, else ~/.claude.",
  permissionMode:
    "dontAsk (default), default, acceptEdits, auto, plan or bypassPermissions, as claude has them.",
  permissions:
    "deny (default): what would need a person is denied. ask: it is asked, and the turn waits for the answer.",
  allowedTools: "Rules of what is allowed without asking, as in Edit,Bash(git *).",
  disallowedTools: "Rules of what is never allowed.",
  sandbox:
    "auto (default): under access edit commands run in claude's sandbox where its tools are installed. off: never.",
  mcpConfig: "File that names the MCP servers of this agent.",
};

export const pathSettings = ["home", "mcpConfig"];

const modes = [
  "dontAsk",
  "default",
  "manual",
  "acceptEdits",
  "auto",
  "plan",
  "bypassPermissions",
] as const;
/** Modes in which claude itself would ask a person. */
const askingModes: readonly string[] = ["default", "manual", "acceptEdits"];

/** @throws UsageError for a setting that claude does not have or that can not be used. */
export function checkSettings(settings: Settings): void {
  checkAgentSettings("claude", { settings: settingNames, paths: pathSettings }, settings);
  // Turns are sent from anywhere, so a relative path would be another one each time.
  for (const binary of binariesOf(settings))
    if (binary.includes("/") && !isAbsolute(binary))
      throw new UsageError(
        "bad-setting",
        `The setting binary has "${binary}", which is not an absolute path.`,
        "Give paths that begin with a slash, or names on the PATH.",
      );
  const asks = oneOf("permissions", settings.permissions ?? "deny", ["deny", "ask"]) === "ask";
  oneOf("sandbox", settings.sandbox ?? "auto", ["auto", "off"]);
  const mode = permissionMode(settings);
  if (asks && !askingModes.includes(mode))
    throw new UsageError(
      "bad-setting",
      `permissions=ask does not go with permissionMode=${mode}, in which claude never asks.`,
      `Leave permissionMode out, or set it to ${askingModes.join(", ")}.`,
    );
}

/** Programs in the order in which they are tried. */
export function binariesOf({ binary }: Settings): string[] {
  const names = binary?.split(",").map((name) => name.trim()) ?? [];
  return names.filter((name) => name !== "");
}

/** Claude forgets the mode of the turn before, so every turn says it. */
export function permissionMode(settings: Settings): string {
  const usual = settings.permissions === "ask" ? "default" : "dontAsk";
  return oneOf("permissionMode", settings.permissionMode ?? usual, modes);
}

function oneOf(name: string, value: string, values: readonly string[]): string {
  if (values.includes(value)) return value;
  throw new UsageError(
    "bad-setting",
    `The setting ${name} is "${value}", which claude does not have.`,
    suggest(value, values),
  );
}
