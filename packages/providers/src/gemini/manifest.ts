/** The manifest of Gemini CLI. */

import type { ProviderManifest } from "../manifest.ts";
import { given } from "./access.ts";
import { howToLogIn } from "./account.ts";
import { starter } from "./bridges.ts";
import { idPattern } from "./command.ts";
import { settings } from "./settings.ts";

export const manifest: ProviderManifest = {
  name: "gemini",
  title: "Gemini CLI",
  runners: ["gemini-cli"],
  program: {
    product: "gemini-cli",
    tested: ["0.61.0"],
    install: 'Install it with "npm install --global @google/gemini-cli".',
    login: howToLogIn,
  },
  abilities: ["resume", "model-on-resume", "keep-instructions", "fork-copy", "open", "rewind"],
  settings,
  access: {
    levels: {
      read: "`--approval-mode=default`, and rules of gemini's policy engine that deny everything that changes something.",
      edit: "`--approval-mode=auto_edit`: edits in the work folder; rules deny all commands but the allowed ones.",
      full: "`--approval-mode=yolo`; gemini's file tools stay in the work folder even then.",
    },
    limits: [
      "A search through a folder also reads Reprise's own files in it.",
      "Gemini ignores Reprise's rules where an administrator installed policies of gemini; its own defaults remain.",
    ],
    asks: false,
    given,
  },
  ids: "caller",
  idPattern,
  maxPrompt: 8 * 1024 * 1024,
  usage: "turn",
  checkpoint: "file",
  bridges: [starter],
};
