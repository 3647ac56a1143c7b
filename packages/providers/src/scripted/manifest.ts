/** The manifest of the scripted agent. */

import { bridge } from "../bridge.ts";
import type { ProviderManifest } from "../manifest.ts";
import * as identity from "./identity.ts";

export const agentBridge = bridge("scripted-agent", "./agent.ts", import.meta.url);

export const manifest: ProviderManifest = {
  name: "scripted",
  title: "the scripted agent",
  runners: ["scripted"],
  program: {
    product: identity.product,
    tested: [identity.version],
    install: "It comes with Reprise.",
  },
  abilities: [
    ...identity.abilities,
    "keep-instructions",
    "fork-copy",
    "compact",
    "open",
    "questions",
    "rewind",
  ],
  settings: {
    properties: {
      script: {
        description: "Script file that makes the agent misbehave (absolute path).",
        format: "path",
      },
      home: {
        description:
          "Folder of the agent's sessions and ledger (absolute path). Default: one of its own.",
        format: "path",
      },
      binary: {
        description: "Another program with the same flags (absolute path).",
        format: "program",
        pattern: "/.*",
      },
    },
  },
  access: {
    levels: {
      read: "Its tools that change files or run commands are denied.",
      edit: "Changes files in the work folder and runs only allowed commands.",
      full: "Everything.",
    },
    limits: ["Another program in its place (`binary`) gets no access flags."],
    asks: false,
    given: () => null,
  },
  ids: "caller",
  idPattern: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  maxPrompt: 8 * 1024 * 1024,
  usage: "session",
  checkpoint: "file",
  bridges: [agentBridge],
};
