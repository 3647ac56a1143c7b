/** OpenCode, the open agent of Anomaly (`opencode-ai`): docs/providers/opencode.md says how it is driven. */

import { defineProvider } from "../define-provider.ts";
import type { Provider } from "../provider.ts";
import { copyIn, copyOut } from "./checkpoint.ts";
import { command, interactive } from "./command.ts";
import { sessions } from "./found-sessions.ts";
import { readyPlace } from "./home.ts";
import { manifest } from "./manifest.ts";
import { observe } from "./observe.ts";
import { probe } from "./probe.ts";
import { reader } from "./reader.ts";
import { relocate } from "./relocate.ts";

export const opencode: Provider = defineProvider({
  manifest,
  probe,
  command,
  interactive,
  reader: () => reader(),
  place: (agent) => readyPlace(agent),
  observe,
  sessions,
  copyOut,
  copyIn,
  relocate,
});
