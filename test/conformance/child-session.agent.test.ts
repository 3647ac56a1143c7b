/** Reprise that was itself started by claude: the screen that it opens is not a child session. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makeClaudeHome } from "../agents/claude-home.ts";
import { openOn } from "./c23-open.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { onAgent } from "./real-subject.ts";
import { recall } from "./subject.ts";
import { enter } from "./terminal.ts";

onAgent("claude", "S17", () =>
  test("S17: claude: a screen opened with CLAUDE_CODE_CHILD_SESSION set saves what is typed", async () => {
    await using subject = await startClaude({
      before: ({ root, folder, env }) => makeClaudeHome(`${root}/claude`, folder, env),
    });
    const id = await subject.begin();
    subject.env.CLAUDE_CODE_CHILD_SESSION = "1";
    using terminal = openOn(subject);
    await terminal.shows(/I will remember APPLE-739\.[\s\S]*^❯\s*$/m);
    await terminal.type("remember PEAR-12");
    terminal.press(enter);
    await terminal.shows(/I will remember PEAR-12\.[\s\S]* for \d+s/);
    await terminal.type("/exit");
    terminal.press(enter);
    expect(await terminal.ended).toBe(0);
    expect(terminal.text()).toContain("Imported 2 messages");
    expect(readFileSync(subject.sessionFile(id), "utf8")).toContain("PEAR-12");
    const next = await subject.send(recall);
    expect(next.turn).toMatchObject({ decision: { outcome: "resume" }, output: "PEAR-12" });
  }),
);
