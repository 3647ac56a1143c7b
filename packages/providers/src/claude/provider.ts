/** Claude Code, the agent of Anthropic (`@anthropic-ai/claude-code`): docs/providers/claude.md says how it is driven. */

import { defineProvider } from "../define-provider.ts";
import type { Provider } from "../provider.ts";
import { refusesAccess } from "./access.ts";
import { lacksLogin } from "./account.ts";
import { copyIn, copyOut } from "./checkpoint.ts";
import { command, compact, interactive } from "./command.ts";
import { deferredCall } from "./deferred-call.ts";
import { sessions } from "./found-sessions.ts";
import { holder } from "./holder.ts";
import { readyHome } from "./home.ts";
import { manifest } from "./manifest.ts";
import { native } from "./native-sessions.ts";
import { probe } from "./probe.ts";
import { escapePrompt } from "./prompt.ts";
import { reader } from "./reader.ts";
import { relocate } from "./relocate.ts";
import { takesSchema } from "./schema.ts";
import { earlierSessions, readSession } from "./session-file.ts";
import { checkSettings } from "./settings.ts";

export const claude: Provider = defineProvider({
  manifest,
  async validate({ settings }) {
    checkSettings(settings);
  },
  probe,
  lacksLogin,
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
  sessions,
  native,
  copyOut,
  copyIn,
  relocate,
});
