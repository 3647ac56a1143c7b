/** Codex, the agent of OpenAI (`@openai/codex`): docs/providers/codex.md says how it is driven. */

import { defineProvider } from "../define-provider.ts";
import type { Provider } from "../provider.ts";
import { isStrictSchema } from "../strict-schema.ts";
import { lacksLogin } from "./account.ts";
import { copyIn, copyOut } from "./checkpoint.ts";
import { command, compact, interactive } from "./command.ts";
import { denials } from "./denials.ts";
import { sessions } from "./found-sessions.ts";
import { readyHome } from "./home.ts";
import { manifest } from "./manifest.ts";
import { native } from "./native-sessions.ts";
import { probe } from "./probe.ts";
import { reader } from "./reader.ts";
import { earlierRollouts, readRollout } from "./rollout.ts";
import { checkSettings } from "./settings.ts";

export const codex: Provider = defineProvider({
  manifest,
  async validate({ settings }) {
    checkSettings(settings);
  },
  probe,
  lacksLogin,
  denials,
  takesSchema: isStrictSchema,
  command,
  compact,
  interactive,
  reader: () => reader(),
  place: (agent) => readyHome(agent),
  observe: readRollout,
  earlier: earlierRollouts,
  sessions,
  native,
  copyOut,
  copyIn,
});
