/** `session import --pick`: a conversation that Reprise did not start is chosen from a list. */

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { enter } from "../conformance/terminal.ts";
import { TestShell } from "./shell.ts";

const recall = "what did I ask you to remember?";

/** Sessions that another home began with the same agent's program. */
async function begun(shell: TestShell, ...prompts: string[]): Promise<void> {
  const elsewhere = ["--home", shell.newFolder("elsewhere")];
  await shell.run([
    ...[...elsewhere, "agent", "create", "other", "--provider", "scripted"],
    ...["--set", `home=${shell.agentHome}`],
  ]);
  for (const prompt of prompts) {
    const key = createHash("sha256").update(prompt).digest("hex");
    const { code } = await shell.run([...elsewhere, "send", key, prompt, "--agent", "other"]);
    expect(code).toBe(0);
  }
}

test("S14: --pick asks for a session and a key, and the next turn resumes it", async () => {
  await using shell = new TestShell();
  await shell.createAgent();
  await begun(shell, "remember PEAR-12", "remember APPLE-739 and this");
  using terminal = shell.terminal(["session", "import", "--pick"]);
  await terminal.shows(/Which one\? \[1-2, Enter for none\]/);
  expect(terminal.text()).toMatch(
    /^1 .* - +remember APPLE-739 and this\n2 .* - +remember PEAR-12$/m,
  );
  terminal.press(`1${enter}`);
  await terminal.shows(/Key\? \[remember-apple-739-and\]/);
  terminal.press(enter);
  expect(await terminal.ended).toBe(0);
  expect(terminal.text()).toContain("Adopted session remember-apple-739-and of coder (scripted)");

  const next = await shell.run(["send", "remember-apple-739-and", recall]);
  expect(next).toMatchObject({ code: 0, stdout: "APPLE-739 and this\n" });
  expect(next.stderr).toContain("resume");

  using again = shell.terminal(["session", "import", "--pick", "--key", "second"]);
  await again.shows(/Which one/);
  again.press(`1${enter}`);
  expect(await again.ended).toBe(2);
  expect(again.text()).toContain("Session remember-apple-739-and already continues that one.");
  using none = shell.terminal(["session", "import", "--pick"]);
  await none.shows(/Which one/);
  none.press(enter);
  expect(await none.ended).toBe(0);
  expect(none.text()).toContain("Nothing was imported.");
});

test("S14: without a terminal --pick prints the list and how to continue one", async () => {
  await using shell = new TestShell();
  const pick = ["session", "import", "--pick"];
  const none = await shell.run(pick);
  expect(none).toMatchObject({ code: 4, stdout: "" });
  expect(none.stderr).toContain('Create one with "reprise agent create NAME');
  await shell.createAgent();
  expect(await shell.run(pick)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "Agent coder has no sessions of its program here.\n",
  });
  await begun(shell, "remember PEAR-12");
  const [session] = JSON.parse((await shell.run([...pick, "--json"])).stdout);
  expect(session).toMatchObject({
    ...{ provider: "scripted", prompt: "remember PEAR-12", folder: null, key: null },
    usedAt: expect.any(Number),
  });
  const listed = await shell.run(pick);
  expect(listed.stdout).toContain("remember PEAR-12");
  const hint = `Continue one with: reprise session import --provider scripted --id ${session.id} --key KEY --agent coder\n`;
  expect(listed.stderr).toBe(hint);

  await shell.createAgent("second");
  const several = await shell.run(pick);
  expect(several).toMatchObject({ code: 2, stdout: "" });
  expect(several.stderr).toContain("There are several agents: coder, second.");
  await shell.run(["agent", "use", "second"]);
  expect(JSON.parse((await shell.run([...pick, "--json"])).stdout)).toEqual([session]);
  const both = await shell.run([...pick, "--id", session.id]);
  expect(both).toMatchObject({ code: 2, stdout: "" });
  expect(both.stderr).toContain("--id names a conversation, and --pick asks for one.");
});
