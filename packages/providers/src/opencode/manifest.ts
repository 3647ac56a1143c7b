/** The manifest of OpenCode. */

import type { ProviderManifest } from "../manifest.ts";
import { given } from "./access.ts";
import { howToLogIn } from "./account.ts";
import { starter } from "./bridges.ts";
import { idPattern } from "./command.ts";
import { settings } from "./settings.ts";

export const manifest: ProviderManifest = {
  name: "opencode",
  title: "OpenCode",
  runners: ["opencode"],
  program: {
    product: "opencode",
    tested: ["1.18.33"],
    install: 'Install it with "npm install --global opencode-ai".',
    login: howToLogIn,
  },
  abilities: ["resume", "model-on-resume", "keep-instructions", "fork-command", "open"],
  settings,
  access: {
    levels: {
      read: "An agent of Reprise's own in opencode, whose rules deny everything but reading.",
      edit: "The same, and edits in the work folder; commands run in a shell that takes only the allowed ones.",
      full: "`--auto`, and what opencode asks about by default is allowed.",
    },
    limits: [
      "A search through a folder also reads Reprise's own files in it.",
      "The rules compare paths as they are written: a symlink in the work folder leads past them.",
      "With access full, a subagent that is continued and asks, by a rule of your own with `ask`, waits until the turn's time-out.",
    ],
    asks: false,
    given,
  },
  ids: "captured",
  idPattern,
  maxPrompt: 8 * 1024 * 1024,
  usage: "turn",
  checkpoint: "file",
  bridges: [starter],
};
