/** Questions and permissions that are cancelled, on the real claude, which tries an old call again when it is resumed. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ClaudeSubject, startClaude } from "./claude-subject.ts";
import { parkedQuestions } from "./parked-question.cases.ts";
import { onAgent } from "./real-subject.ts";
import { key } from "./subject.ts";

function ask(subject: ClaudeSubject, question: string): void {
  const options = ["SQLite", "PostgreSQL"].map((label) => ({ label, description: label }));
  const questions = [{ question, header: "Choice", multiSelect: false, options }];
  subject.answer([{ tool: "AskUserQuestion", input: { questions } }, { text: "Understood." }]);
}

const allowing = { permissions: "deny", allowedTools: "Bash" };

async function parkPermission(): Promise<{ subject: ClaudeSubject; made: string }> {
  const subject = await startClaude();
  const settings = { permissions: "ask", allowedTools: "" };
  await subject.reprise.agents.set({ name: "coder", settings });
  await subject.begin();
  const made = join(subject.folder, "made.txt");
  const { turn } = await subject.send(`run echo done >> ${made}`);
  expect(turn.turn.status).toBe("waiting");
  return { subject, made };
}

onAgent("claude", "S0b", () => {
  parkedQuestions("claude", { start: startClaude, ask });

  test("S0b: claude: a cancelled permission is not carried out by a turn that would be allowed it", async () => {
    const { subject, made } = await parkPermission();
    await using _ = subject;
    await subject.reprise.turns.cancel(key);
    await subject.reprise.agents.set({ name: "coder", settings: allowing });
    const calls = subject.witness.calls().length;
    const { turn } = await subject.send("echo hello");
    expect(turn).toMatchObject({ turn: { status: "done" }, output: "hello" });
    expect(subject.witness.calls()).toHaveLength(calls + 1);
    expect(existsSync(made)).toBe(false);
    // What the model asks for by itself now is allowed.
    const ran = await subject.send(`run echo done >> ${made}`);
    expect(ran.turn.turn.status).toBe("done");
    expect(existsSync(made)).toBe(true);
  });

  test("S0b: claude: a permission that is denied after it was allowed in the settings is denied", async () => {
    const { subject, made } = await parkPermission();
    await using _ = subject;
    await subject.reprise.agents.set({ name: "coder", settings: allowing });
    const denied = await subject.reprise.turns.answer({ turn: key, deny: "Not today." });
    expect(denied.turn.status).toBe("done");
    expect(denied.output).toContain("Not today.");
    expect(existsSync(made)).toBe(false);
  });
});
