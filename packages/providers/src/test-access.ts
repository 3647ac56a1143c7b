/** The default access of launches in provider tests: what the agent's settings grant. */

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
