/** The OpenClaw plugin: its agents continue sessions and run workflows with the program `reprise`. */

import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";
import { runReprise } from "./run-reprise.js";
import { tools } from "./tools.js";

export default definePluginEntry({
  id: "reprise",
  name: "Reprise",
  description: "Continue sessions and run workflows of Reprise",
  register(api) {
    const { command = "reprise", home } = api.pluginConfig ?? {};
    for (const { argv, view, ...tool } of tools)
      api.registerTool(
        ({ workspaceDir }) => ({
          ...tool,
          async execute(_id, input, signal) {
            const { args, stdin = "" } = argv(input);
            const whole = home === undefined ? args : [`--home=${home}`, ...args];
            const document = await runReprise(command, whole, { stdin, cwd: workspaceDir, signal });
            // What the command refused has its reason and nothing else.
            const refused = Object.keys(document).join() === "error";
            const details = refused ? document : view(document);
            return { content: [{ type: "text", text: JSON.stringify(details, null, 1) }], details };
          },
        }),
        { name: tool.name },
      );
  },
});
