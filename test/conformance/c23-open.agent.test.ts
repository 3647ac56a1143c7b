/** C23 on the screens of the real agents. */

import { makeClaudeHome } from "../agents/claude-home.ts";
import { openedSessions } from "./c23-open.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { startCodex } from "./codex-subject.ts";
import { onAgent } from "./real-subject.ts";
import { controlC, enter } from "./terminal.ts";

onAgent("claude", "C23", (agent) =>
  openedSessions(
    agent,
    (options) =>
      startClaude({
        ...options,
        before: ({ root, folder, env }) => makeClaudeHome(`${root}/claude`, folder, env),
      }),
    {
      ready: /I will remember APPLE-739\.[\s\S]*^❯\s*$/m,
      answered: /I will remember PEAR-12\.[\s\S]* for \d+s/,
      async leave(terminal) {
        await terminal.type("/exit");
        terminal.press(enter);
      },
      exit: 0,
    },
  ),
);

onAgent("codex", "C23", (agent) =>
  openedSessions(agent, startCodex, {
    ready: /I will remember APPLE-739\.[\s\S]*^› Ask Codex/m,
    answered: /I will remember PEAR-12\.[\s\S]*Worked for/,
    leave: async (terminal) => terminal.press(controlC),
    exit: 0,
  }),
);
