/** What launches in tests of providers may do unless they say otherwise: what the agent's settings give. */

import type { LaunchAccess } from "./provider.ts";

export const bySettings: LaunchAccess = {
  level: "full",
  named: false,
  allowedCommands: [],
  asks: false,
  hidden: [],
  readable: [],
  sandbox: false,
};
