/** The manifest of Claude Code. */

import type { ProviderManifest } from "../manifest.ts";
import { given } from "./access.ts";
import { howToLogIn } from "./account.ts";
import { commandHook, questionHook } from "./bridges.ts";
import { idPattern } from "./command.ts";
import { settings } from "./settings.ts";

export const manifest: ProviderManifest = {
  name: "claude",
  title: "Claude Code",
  runners: ["claude-code"],
  program: {
    product: "claude-code",
    tested: ["2.1.325"],
    install: 'Install it with "npm install --global @anthropic-ai/claude-code".',
    login: howToLogIn,
  },
  abilities: [
    "resume",
    "model-on-resume",
    "keep-instructions",
    "fork-copy",
    "compact",
    "open",
    "questions",
    "schema",
    "rewind",
  ],
  settings,
  access: {
    levels: {
      read: "Deny rules for every tool that changes something or runs commands.",
      edit: "Edits in the work folder; commands in claude's sandbox, or only the allowed ones, judged by a hook.",
      full: "`--permission-mode=bypassPermissions`; refused as root unless IS_SANDBOX=1.",
    },
    limits: [
      "Without bubblewrap and socat on Linux there is no sandbox, so `edit` runs only allowed commands.",
    ],
    asks: true,
    given,
  },
  ids: "caller",
  idPattern,
  // Claude refuses one of 3 MiB by itself, before it asks the model.
  maxPrompt: 2 * 1024 * 1024,
  usage: "turn",
  defaultModel: "default",
  checkpoint: "file",
  bridges: [questionHook, commandHook],
};
