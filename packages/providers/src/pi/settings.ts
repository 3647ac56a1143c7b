/** The settings of a pi agent. There is no setting for further arguments, so no session flag can be added. */

import type { SettingsSchema } from "../manifest.ts";

export const settings: SettingsSchema = {
  properties: {
    binary: {
      description: "Path of the pi program. Default: the pi on the PATH.",
      format: "program",
    },
    home: {
      description:
        "PI_CODING_AGENT_DIR of this agent: its settings, credentials and sessions. Default: that of the environment, else ~/.pi/agent.",
      format: "path",
    },
    tools: {
      description: "Names of pi's tools, such as read,grep,find,ls. Prefer access.",
      pattern: "^[A-Za-z0-9_]+(,[A-Za-z0-9_]+)*$",
    },
  },
};
