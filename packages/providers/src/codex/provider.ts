/** Codex, the agent of OpenAI (`@openai/codex`): docs/providers/codex.md tells how it is driven. */

import type { Provider } from "../provider.ts";
import { given } from "./access.ts";
import { copyIn, copyOut } from "./checkpoint.ts";
import { command, compact, idPattern, interactive } from "./command.ts";
import { denials } from "./denials.ts";
import { readyHome } from "./home.ts";
import { probe } from "./probe.ts";
import { reader } from "./reader.ts";
import { earlierRollouts, readRollout } from "./rollout.ts";
import { takesSchema } from "./schema.ts";
import { checkSettings, pathSettings, settingNames } from "./settings.ts";

export const codex: Provider = {
  name: "codex",
  traits: {
    ids: "captured",
    idPattern,
    keepsInstructions: true,
    // Codex takes 1,048,576 characters; a character has at least one byte.
    maxPrompt: 1024 * 1024,
    runningTotals: true,
    checkpoint: "file",
    fork: "command",
    settings: settingNames,
    paths: pathSettings,
    access: { given, asks: false },
  },
  async validate({ settings }) {
    checkSettings(settings);
  },
  probe,
  denials,
  takesSchema,
  command,
  compact,
  interactive,
  reader: () => reader(),
  place: (agent) => readyHome(agent),
  observe: readRollout,
  earlier: earlierRollouts,
  copyOut,
  copyIn,
};
