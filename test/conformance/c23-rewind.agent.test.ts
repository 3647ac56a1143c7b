/** C23: the rewind of the real agents, on their own screens. */

import { makeClaudeHome } from "../agents/claude-home.ts";
import { rewinding } from "./c23-rewind.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { codexScreen } from "./codex-screen.ts";
import { startCodex } from "./codex-subject.ts";
import { onAgent } from "./real-subject.ts";
import { clearLine, enter, up } from "./terminal.ts";

onAgent("claude", "C23", (agent) =>
  rewinding(
    "S0d",
    agent,
    (options) =>
      startClaude({
        ...options,
        before: ({ root, folder, env }) => makeClaudeHome(`${root}/claude`, folder, env),
      }),
    {
      ready: /third[\s\S]*^❯\s*$/m,
      async rewind(terminal) {
        // The same as Esc Esc, which shows nothing between the two.
        await terminal.type("/rewind");
        terminal.press(enter);
        await terminal.shows(/❯ \(current\)/);
        terminal.press(up);
        await terminal.shows(/point before…[\s\S]*❯ (Earlier|echo)/);
        terminal.press(up);
        await terminal.shows(/point before…[\s\S]*❯ (Earlier|echo)[\s\S]*↓ 2 more/);
        terminal.press(enter);
        await terminal.shows(/❯ 1\. Restore conversation/);
        terminal.press(enter);
        await terminal.shows(/echo second\s*\n─/);
        await clearLine(terminal, /^❯\s*$/m);
      },
      answered: /I will remember PEAR-12\.[\s\S]* for \d+s/,
      async leave(terminal) {
        await terminal.type("/exit");
        terminal.press(enter);
      },
    },
  ),
);

onAgent("codex", "C23", (agent) => rewinding("S0c", agent, startCodex, codexScreen));
