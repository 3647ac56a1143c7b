/** Claude Code, the agent of Anthropic (`@anthropic-ai/claude-code`): docs/providers/claude.md tells how it is driven. */

import type { Provider } from "../provider.ts";
import { given, refusesAccess } from "./access.ts";
import { copyIn, copyOut } from "./checkpoint.ts";
import { command, compact, idPattern, interactive } from "./command.ts";
import { deferredCall } from "./deferred-call.ts";
import { holder } from "./holder.ts";
import { readyHome } from "./home.ts";
import { probe } from "./probe.ts";
import { escapePrompt } from "./prompt.ts";
import { reader } from "./reader.ts";
import { relocate } from "./relocate.ts";
import { takesSchema } from "./schema.ts";
import { earlierSessions, readSession } from "./session-file.ts";
import { checkSettings, pathSettings, settingNames } from "./settings.ts";

export const claude: Provider = {
  name: "claude",
  traits: {
    ids: "caller",
    idPattern,
    keepsInstructions: true,
    // Claude refuses one of 3 MiB by itself, before it asks the model.
    maxPrompt: 2 * 1024 * 1024,
    runningTotals: false,
    defaultModel: "default",
    checkpoint: "file",
    fork: "copy",
    settings: settingNames,
    paths: pathSettings,
    access: { given, asks: true },
  },
  async validate({ settings }) {
    checkSettings(settings);
  },
  probe,
  refusesAccess,
  escape: escapePrompt,
  takesSchema,
  command,
  compact,
  deferredCall,
  holder,
  interactive,
  reader,
  place: (agent) => readyHome(agent),
  observe: readSession,
  earlier: earlierSessions,
  copyOut,
  copyIn,
  relocate,
};
