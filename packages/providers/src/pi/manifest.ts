/** The manifest of pi. */

import type { ProviderManifest } from "../manifest.ts";
import { given } from "./access.ts";
import { howToLogIn } from "./account.ts";
import { extension } from "./bridges.ts";
import { defaultModel, idPattern } from "./command.ts";
import { settings } from "./settings.ts";

export const manifest: ProviderManifest = {
  name: "pi",
  title: "pi",
  runners: [],
  program: {
    product: "pi",
    tested: ["1.5.0"],
    install: 'Install it with "npm install --global @earendil-works/pi-coding-agent".',
    login: howToLogIn,
  },
  abilities: [
    "resume",
    "model-on-resume",
    "keep-instructions",
    "fork-copy",
    "compact",
    "open",
    "rewind",
  ],
  settings,
  access: {
    levels: {
      read: "Only pi's tools that read (`--tools`); no extensions, and nothing of the project's settings.",
      edit: "Its tools that read and write; an extension of Reprise denies writing outside of the work folder and all commands but the allowed ones.",
      full: "pi's own tools without limits, with the user's extensions.",
    },
    limits: [
      "pi has no sandbox: under `read` and `edit` it can read every file of the user but Reprise's own.",
      "A search through a folder also reads Reprise's own files in it.",
    ],
    asks: false,
    given,
  },
  ids: "caller",
  idPattern,
  maxPrompt: 8 * 1024 * 1024,
  usage: "turn",
  defaultModel,
  checkpoint: "file",
  bridges: [extension],
};
