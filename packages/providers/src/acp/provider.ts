/** Agents that speak the Agent Client Protocol: docs/providers/acp.md says how they are driven. */

import { reader } from "../bridge-reader.ts";
import { defineProvider } from "../define-provider.ts";
import type { Provider } from "../provider.ts";
import { command } from "./command.ts";
import { manifest } from "./manifest.ts";
import { placeOf, probe } from "./probe.ts";
import { escapePrompt } from "./prompt.ts";
import { checkSettings } from "./settings.ts";

export const acp: Provider = defineProvider({
  manifest,
  validate: checkSettings,
  probe,
  escape: escapePrompt,
  command,
  reader,
  place: placeOf,
  // The agent's own history cannot be read while it does not run; the bridge compares what it replays.
  observe: async () => "unreadable",
  copyOut: async () => [],
  copyIn: async () => {},
});
