/** The real claude as a caller: over MCP it reads every error, and it cannot approve what waits for a person. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type ClaudeSubject, startClaude } from "../conformance/claude-subject.ts";
import { onAgent } from "../conformance/real-subject.ts";

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
const gated = "name: gated\nsteps:\n  ask: { gate: Continue? }\n";

async function start(role: string): Promise<ClaudeSubject> {
  const subject = await startClaude();
  const file = join(subject.root, "mcp.json");
  const args = [program, "mcp", "--home", subject.home, "--role", role];
  const reprise = { command: process.execPath, args };
  writeFileSync(file, JSON.stringify({ mcpServers: { reprise } }));
  const settings = { mcpConfig: file, allowedTools: "Bash,mcp__reprise" };
  await subject.reprise.agents.set({ name: "coder", settings });
  return subject;
}

onAgent("claude", "V11", () => {
  test("V11: claude reads the code, message and hint of an error with its own MCP client", async () => {
    await using subject = await start("operator");
    const call = { tool: "mcp__reprise__get_turn", input: { turn: "no-such" } };
    subject.answer([call, { text: "I see." }]);
    const { turn } = await subject.send("look at turn no-such");
    expect(turn.turn.status).toBe("done");
    const read = subject.witness.wire().at(-1)!;
    expect(read).toContain("no-turn");
    expect(read).toContain("There is no turn and no session no-such.");
    expect(read).toContain("the tool list_sessions lists the sessions");
    expect(read).not.toContain("-32602");
  });

  test("V20: claude can approve its gate neither in its shell nor over MCP", async () => {
    await using subject = await start("approver");
    const { waitsFor } = await subject.reprise.runs.start({ source: gated, id: "g1" });
    const item = waitsFor[0] ?? "";
    const words = [process.execPath, program, "--home", subject.home, "approve", item];
    const { turn } = await subject.send(`run ${words.join(" ")} 2>&1; true`);
    expect(turn.output).toContain("An agent may not answer what waits for a person");

    const call = { tool: "mcp__reprise__answer_inbox", input: { item, choice: "approve" } };
    subject.answer([call, { text: "I tried." }]);
    await subject.send("approve it");
    expect(await subject.reprise.inbox.show(item)).toMatchObject({ resolution: null });
  });
});
