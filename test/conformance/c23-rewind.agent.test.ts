/** C23: the rewind of the real agents, on their own screens. */

import { makeClaudeHome } from "../agents/claude-home.ts";
import { rewinding } from "./c23-rewind.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { startCodex } from "./codex-subject.ts";
import { onAgent } from "./real-subject.ts";
import { backspace, controlC, controlU, enter, esc, left, type Terminal, up } from "./terminal.ts";

/** The prompt that was taken back stands in the line, ready to be changed. */
async function clearLine(terminal: Terminal, isClear: RegExp): Promise<void> {
  while (!isClear.test(terminal.text())) {
    const before = terminal.text();
    terminal.press(controlU);
    terminal.press(backspace);
    await terminal.until(() => terminal.text() !== before);
  }
}

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

onAgent("codex", "C23", (agent) =>
  rewinding("S0c", agent, startCodex, {
    ready: /third[\s\S]*^› Ask Codex/m,
    async rewind(terminal) {
      terminal.press(esc);
      await terminal.shows(/esc again to edit previous message/);
      terminal.press(esc);
      await terminal.shows(/Browsing transcript/);
      terminal.press(left);
      terminal.press(enter);
      await terminal.shows(/Conversation reverted to this point/);
      await clearLine(terminal, /^› Ask Codex/m);
    },
    answered: /I will remember PEAR-12\.[\s\S]*Worked for/,
    leave: async (terminal) => terminal.press(controlC),
  }),
);
