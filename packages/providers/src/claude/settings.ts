/** The settings of a claude agent. There is no setting for further arguments, so no session flag can be added. */

import { UsageError } from "@reprise/core/errors/errors";
import { checkAgentSettings } from "../define-provider.ts";
import type { SettingsSchema } from "../manifest.ts";

type Settings = Readonly<Record<string, string>>;

export const settings: SettingsSchema = {
  properties: {
    binary: {
      description:
        "Claude programs, separated by commas; the first that exists is used. Default: the claude on the PATH.",
      format: "program",
      separator: ",",
    },
    home: {
      description:
        "CLAUDE_CONFIG_DIR of this agent. Default: that of the environment, else ~/.claude.",
      format: "path",
    },
    permissionMode: {
      description:
        "dontAsk (default), default, acceptEdits, auto, plan or bypassPermissions, as claude has them.",
      enum: ["dontAsk", "default", "manual", "acceptEdits", "auto", "plan", "bypassPermissions"],
      default: "dontAsk",
    },
    permissions: {
      description:
        "deny (default): calls that need a person are denied. ask: the person is asked, and the turn waits for the answer.",
      enum: ["deny", "ask"],
      default: "deny",
    },
    allowedTools: {
      description: "Rules for what is allowed without asking, such as Edit,Bash(git *).",
    },
    disallowedTools: { description: "Rules for what is never allowed." },
    sandbox: {
      description:
        "auto (default): under access edit commands run in claude's sandbox where its tools are installed. off: never.",
      enum: ["auto", "off"],
      default: "auto",
    },
    mcpConfig: { description: "File that names the MCP servers of this agent.", format: "path" },
  },
};

/** Modes in which claude itself asks a person. */
const askingModes: readonly string[] = ["default", "manual", "acceptEdits"];

/** @throws UsageError for a setting that claude does not have or that cannot be used. */
export function checkSettings(values: Settings): void {
  checkAgentSettings({ name: "claude", settings }, values);
  const mode = permissionMode(values);
  if (values.permissions === "ask" && !askingModes.includes(mode))
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

/** Claude does not keep the mode of the previous turn, so every turn sets it. */
export function permissionMode({ permissions, permissionMode: mode }: Settings): string {
  return mode ?? (permissions === "ask" ? "default" : "dontAsk");
}
