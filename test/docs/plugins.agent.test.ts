/** docs/plugins.md with the real claude and the real codex. */

import { delimiter } from "node:path";
import { afterAll } from "vitest";
import { claudeWithPlugins } from "../agents/claude-home.ts";
import { startOnPath } from "../conformance/on-path.ts";
import { onAgent } from "../conformance/real-subject.ts";
import { idInSkill } from "../surfaces/id-in-skill.ts";
import { runsAsShown } from "./page-shell.ts";

const subjects = new AsyncDisposableStack();
afterAll(() => subjects.disposeAsync());

onAgent("codex", "plugins.md", () =>
  onAgent("claude", "plugins.md", () =>
    runsAsShown("docs/plugins.md", async () => {
      const codex = subjects.use(await startOnPath("codex"));
      const claude = subjects.use(await startOnPath("claude"));
      return {
        env: {
          ...claude.env,
          ...codex.env,
          ...claudeWithPlugins,
          PATH: [codex.env.PATH, claude.env.PATH].join(delimiter),
          REPRISE_HOME: undefined,
          REPRISE_MAX_ACCESS: undefined,
        },
        values: {
          "$(npm root --global)/reprise/plugins": 'echo "$CLONE/packages/reprise/plugins"',
        },
        elsewhere: {
          'openclaw plugins install "$PLUGINS/openclaw" --force --accept-capabilities':
            "test/openclaw/plugin.agent.test.ts",
        },
        before: {
          // The tests' own configuration of codex switches plugins off.
          'codex plugin marketplace add "$PLUGINS"': () =>
            'sed -i.bak "s/plugins = false/plugins = true/" "$CODEX_HOME/config.toml"',
          'claude --print --continue "/reprise:adopt parser"': () => {
            claude.answer([
              (request) => ({
                tool: "mcp__plugin_reprise_reprise__adopt_session",
                input: { key: "parser", provider: "claude", id: idInSkill(request) },
              }),
              { text: "Leave this conversation, then: reprise send parser …" },
            ]);
            return ":";
          },
        },
      };
    }),
  ),
);
