/** C23: the rewind of the real agents, on their own screens. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makeClaudeHome } from "../agents/claude-home.ts";
import { rewinding } from "./c23-rewind.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { codexScreen } from "./codex-screen.ts";
import { startCodex } from "./codex-subject.ts";
import { typeNatively } from "./native.ts";
import { onAgent } from "./real-subject.ts";
import { codes, key, recall, secret, witnessed } from "./subject.ts";
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

/** The message with this text, as claude names it. */
function messageId(file: string, text: string): string {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const said = lines.find((line) => line.includes('"type":"assistant"') && line.includes(text));
  return JSON.parse(said ?? "{}").uuid;
}

onAgent("claude", "C23", (agent) => {
  test(`S0d C23/${agent}: --resume-session-at in claude itself is followed by the next turn, and reported`, async () => {
    await using subject = await startClaude();
    const id = await subject.begin();
    await subject.send("echo second");
    const at = messageId(subject.sessionFile(id), `I will remember ${secret}`);
    await typeNatively(subject, "remember PEAR-12", id, [`--resume-session-at=${at}`]);
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.calls).toMatchObject([{ earlier: 4 }]);
    expect(seen.turn.output).toBe("PEAR-12");
    expect(codes(seen.turn)).toEqual(["rewound"]);
    expect(seen.turn.decision?.verdicts).toContainEqual({
      guard: "intact",
      passed: true,
      held: true,
      stored: expect.any(String),
      current: "rewound to item 2, 2 new",
    });
    const { recent } = await subject.reprise.sessions.show(key);
    expect(recent.map(({ takenBack }) => takenBack)).toEqual([false, true, false]);
  });
});

onAgent("codex", "C23", (agent) => rewinding("S0c", agent, startCodex, codexScreen));
