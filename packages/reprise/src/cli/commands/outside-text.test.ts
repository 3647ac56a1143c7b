/** Text from outside on a terminal: it is seen, and obeyed by nothing. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, run, remove } = testHome("outside", { columns: 200 });
/** Renames the window, clears the screen in C1, and turns the order of the letters round. */
const evil = "Deploy\u001b]0;owned\u0007 \u009b2J \u202eyap\u202c";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const obeyed =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const source = {
  name: evil,
  steps: {
    say: { shell: `printf '%s' '${evil}'` },
    ask: { needs: "say", gate: { title: evil, message: evil } },
  },
};

beforeAll(async () => {
  writeFileSync(join(folder, "evil.json"), JSON.stringify(source));
  await run("run", "evil.json", "--id", "r1", "--quiet");
});
afterAll(remove);

test.each([
  [["run", "evil.json", "--dry-run"]],
  [["run", "evil.json", "--dry-run", "--json"]],
  [["logs", "r1"]],
  [["logs", "r1", "--jsonl"]],
  [["logs", "r1", "--json"]],
  [["runs"]],
  [["show", "r1"]],
  [["show", "r1", "--json"]],
  [["inbox"]],
  [["inbox", "--json"]],
  [["workflow", "fmt", "evil.json"]],
  [["workflow", "validate", "evil.json"]],
  [["workflow", "graph", "evil.json"]],
])("V16: %j", async (argv) => {
  const { stdout, stderr } = await run(...argv);
  expect(stdout).not.toMatch(obeyed);
  expect(stderr).not.toMatch(obeyed);
});

test("V16: it is seen what the text wanted to do", async () => {
  const { stdout } = await run("run", "evil.json", "--dry-run");
  expect(stdout).toContain("Deploy\\u001b]0;owned\\u0007 \\u009b2J \\u202eyap\\u202c");
  const plan = JSON.parse((await run("run", "evil.json", "--dry-run", "--json")).stdout);
  expect(plan.workflow).toBe(evil);
});
