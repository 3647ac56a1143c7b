/** The settings of a gemini agent. There is no setting for further arguments, so no session flag can be added. */

import type { SettingsSchema } from "../manifest.ts";

export const approvalModes = ["default", "auto_edit", "yolo", "plan"];

export const settings: SettingsSchema = {
  properties: {
    binary: {
      description: "Path of the gemini program. Default: the gemini on the PATH.",
      format: "program",
    },
    home: {
      description:
        "GEMINI_CLI_HOME of this agent, the folder that has .gemini. Default: that of the environment, else the user's home.",
      format: "path",
    },
    approvalMode: {
      description: "default, auto_edit, yolo or plan, as gemini has them. Prefer access.",
      enum: approvalModes,
      default: "default",
    },
  },
};
