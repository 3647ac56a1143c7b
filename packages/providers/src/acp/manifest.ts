/** The manifest of agents that speak the Agent Client Protocol. */

import type { ProviderManifest } from "../manifest.ts";
import { given } from "./access.ts";
import { turnBridge } from "./bridges.ts";
import { idPattern } from "./command.ts";
import { protocolVersion } from "./protocol.ts";
import { settings } from "./settings.ts";

export const manifest: ProviderManifest = {
  name: "acp",
  title: "ACP agents",
  runners: ["acp"],
  program: {
    product: "agent-client-protocol",
    tested: [String(protocolVersion)],
    install:
      'Any agent that speaks the Agent Client Protocol, such as "opencode acp"; name it with the setting command.',
  },
  abilities: ["resume", "model-on-resume", "keep-instructions"],
  settings,
  access: {
    levels: {
      read: "What the agent asks for is allowed if it only reads or searches.",
      edit: "The same, and changes of named files in the work folder, and exactly the allowed commands.",
      full: "Everything that the agent asks for is allowed.",
    },
    limits: [
      "Only what the agent asks for is decided by Reprise: what it does without asking depends on its own settings and mode.",
      "The agent itself says of what kind a tool is, and which files it changes.",
    ],
    asks: false,
    given,
  },
  ids: "captured",
  idPattern,
  maxPrompt: 8 * 1024 * 1024,
  usage: "turn",
  checkpoint: "none",
  bridges: [turnBridge],
};
