/** The settings of an opencode agent. There is no setting for further arguments, so no session flag can be added. */

import type { SettingsSchema } from "../manifest.ts";

/** A comma cannot be part of these paths. */
export const pathSeparator = ",";

export const settings: SettingsSchema = {
  properties: {
    binary: {
      description: "Path of the opencode program. Default: the opencode on the PATH.",
      format: "program",
    },
    home: {
      description:
        "Folder that has .local/share/opencode and .config/opencode for this agent. Default: the user's home and XDG folders.",
      format: "path",
    },
    permissions: {
      description:
        "default, or auto, which allows everything that opencode would ask about. Prefer access.",
      enum: ["default", "auto"],
      default: "default",
    },
    instructionFiles: {
      description:
        "Files with instructions that opencode reads on every turn, separated by commas.",
      format: "path",
      separator: pathSeparator,
    },
    skillPaths: {
      description: "Folders in which opencode looks for more skills, separated by commas.",
      format: "path",
      separator: pathSeparator,
    },
  },
};
