/** C14 on the real agents. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modes, withAnna } from "./c14-modes.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { onRealAgents } from "./real-agents.ts";
import { onAgent } from "./real-subject.ts";
import { runWorkflow, workflow } from "./workflow.ts";

onRealAgents("C14", modes);

onAgent("claude", "C14", () => {
  test("C14/claude: inherit_fresh may read in the agent's folder, and write nothing there", async () => {
    await using subject = await startClaude();
    await withAnna(subject);
    const folder = join(subject.root, "annas");
    const [known, other] = [join(folder, "memory.md"), join(folder, "other.md")];
    subject.answer([
      {
        calls: [
          { tool: "Read", input: { file_path: known } },
          { tool: "Write", input: { file_path: other, content: "mine now" } },
        ],
      },
      { text: "Done." },
    ]);
    const data = { agentId: "anna", mode: "inherit_fresh", prompt: "Look around." };
    const { run } = await runWorkflow(subject, workflow({ coder: { data } }));
    expect(run.status).toBe("done");
    const sent = subject.witness.wire().at(-1);
    expect(sent).toContain("What Anna knows.");
    expect(sent).toContain("Permission to use Write has been denied");
    expect(existsSync(other)).toBe(false);
  });
});
