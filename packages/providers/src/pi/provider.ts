/** Pi, the coding agent of Earendil Works (`@earendil-works/pi-coding-agent`): docs/providers/pi.md says how it is driven. */

import { defineProvider } from "../define-provider.ts";
import type { Provider } from "../provider.ts";
import { copyIn, copyOut } from "./checkpoint.ts";
import { command, compact, interactive } from "./command.ts";
import { sessions } from "./found-sessions.ts";
import { readyHome } from "./home.ts";
import { manifest } from "./manifest.ts";
import { native } from "./native-sessions.ts";
import { earlier, observe } from "./observe.ts";
import { probe } from "./probe.ts";
import { escapePrompt } from "./prompt.ts";
import { reader } from "./reader.ts";
import { relocate } from "./relocate.ts";

export const pi: Provider = defineProvider({
  manifest,
  probe,
  escape: escapePrompt,
  command,
  compact,
  interactive,
  reader: () => reader(),
  place: (agent) => readyHome(agent),
  observe,
  earlier,
  sessions,
  native,
  copyOut,
  copyIn,
  relocate,
});
