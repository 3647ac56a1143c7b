/** The manifest of Codex. */

import type { ProviderManifest } from "../manifest.ts";
import { given } from "./access.ts";
import { howToLogIn } from "./account.ts";
import { idPattern } from "./command.ts";
import { settings } from "./settings.ts";

export const manifest: ProviderManifest = {
  name: "codex",
  title: "Codex",
  runners: ["codex"],
  program: {
    product: "codex",
    tested: ["0.166.0"],
    install: 'Install it with "npm install --global @openai/codex".',
    login: howToLogIn,
  },
  abilities: [
    "resume",
    "model-on-resume",
    "keep-instructions",
    "fork-command",
    "compact",
    "open",
    "schema",
    "rewind",
  ],
  settings,
  access: {
    levels: {
      read: "Codex's sandbox, read-only.",
      edit: "Codex's sandbox, writable in the work folder, without network.",
      full: "No sandbox.",
    },
    limits: [
      "Versions before 0.138 have no permission profiles, so Reprise's own files are readable.",
    ],
    asks: false,
    given,
  },
  ids: "captured",
  idPattern,
  // Codex takes 1,048,576 characters; a character has at least one byte.
  maxPrompt: 1024 * 1024,
  usage: "session",
  checkpoint: "file",
  bridges: [],
};
