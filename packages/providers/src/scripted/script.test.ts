import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { AgentHome } from "./agent-run.ts";
import { readScript } from "./script.ts";

const folder = temporaryFolder("script");
afterAll(() => rmSync(folder, { recursive: true }));

function write(text: string): string {
  const path = join(folder, "script.yaml");
  writeFileSync(path, text);
  return path;
}

test.for([
  ["", "the file: is not a mapping"],
  ["- a list", "the file: is not a mapping"],
  ["rules:\n  - do: [\n", /line \d/],
  ['{"rules": [}', /line 1/],
  ["rulez: []", 'the file: there is no "rulez"'],
  ["abilities: [fly]", "the file, abilities: is not one of resume, model-on-resume"],
  ["version: 2", "the file, version: is not a text"],
  ["rules: {}", "the file, rules: is not a list"],
  ["rules:\n  - when: {resume: true}", "rule 1: has no do"],
  ["rules:\n  - do: []\n  - do: [explode]", 'rule 2, step 1: there is no step "explode"'],
  ["rules:\n  - do: [ghost, {tool: ls, say: x}]", "rule 1, step 2: is neither a name nor one name"],
  ["rules:\n  - do: [[]]", "rule 1, step 1: is neither a name nor one name"],
  ["rules:\n  - do: [tool]", "rule 1, step 1, tool: is not a text"],
  ["rules:\n  - do: [ghost: 3]", "rule 1, step 1, ghost: takes no value"],
  ["rules:\n  - do: [exit: 900]", "rule 1, step 1, exit: is not an exit code"],
  ["rules:\n  - do: [crash: SIGNAL]", "rule 1, step 1, crash: is not known"],
  ["rules:\n  - do: [fail: {kind: odd}]", "rule 1, step 1, fail, kind: is not known"],
  ["rules:\n  - do: [fail: {retry: 1}]", 'rule 1, step 1, fail: there is no "retry"'],
  ["rules:\n  - do: [tool-child: {file: x}]", "tool-child, seconds: is not a whole number"],
  ["rules:\n  - {when: {launches: 1}, do: []}", 'rule 1, when: there is no "launches"'],
  ["rules:\n  - {when: {resume: 1}, do: []}", "rule 1, when, resume: is neither true nor false"],
  ["rules:\n  - {times: -1, do: []}", "rule 1, times: is not a whole number"],
] as const)("%j is refused in one sentence", async ([text, what]) => {
  const path = write(text);
  const error = await readScript(path).catch((problem: Error) => problem);
  const { message } = error as Error;
  expect(message).toMatch(what);
  expect(message.startsWith(`Script ${path} cannot be used: `)).toBe(true);
  expect(message).not.toContain("\n");
});

test("a file that is not there is refused", async () => {
  await expect(readScript(join(folder, "none.yaml"))).rejects.toThrow("none.yaml cannot be used");
});

test("the agent itself refuses a bad script before it does anything", async () => {
  using agent = new AgentHome();
  const script = write("rules:\n  - do: [explode]");
  const run = await agent.run(["--session-id", "s", "--script", script], "hello");
  expect(run.code).toBe(2);
  expect(run.stderr).toBe(
    `Script ${script} cannot be used: rule 1, step 1: there is no step "explode".\n`,
  );
  expect(() => agent.ledger()).toThrow("ENOENT");
});

test("every example in the documentation is a script", async () => {
  const page = readFileSync(new URL("./README.md", import.meta.url), "utf8");
  const examples = Array.from(page.matchAll(/^```yaml\n(.*?)^```/gms), ([, text = ""]) => text);
  expect(examples.length).toBeGreaterThan(3);
  for (const example of examples) await readScript(write(example));
});
