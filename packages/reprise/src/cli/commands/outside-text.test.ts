/** Text from outside is shown on a terminal, but its control characters have no effect. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, run, remove } = testHome("outside", { columns: 200 });
/** Renames the window, clears the screen with a C1 code, and reverses the text direction. */
const evil = "Deploy\u001b]0;owned\u0007 \u009b2J \u202eyap\u202c";
/** Control characters other than tab and line feed, and characters that reorder text. */
function obeyed(text: string): string[] {
  return [...text].filter((character) => {
    const code = character.codePointAt(0)!;
    if (code < 0x20) return code !== 0x09 && code !== 0x0a;
    const ranges = [
      [0x7f, 0x9f],
      [0x61c, 0x61c],
      [0x200e, 0x200f],
      [0x202a, 0x202e],
      [0x2066, 0x2069],
    ];
    return ranges.some(([first, last]) => code >= first! && code <= last!);
  });
}

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
  expect(obeyed(stdout)).toEqual([]);
  expect(obeyed(stderr)).toEqual([]);
});

test("V16: the control characters are shown escaped", async () => {
  const { stdout } = await run("run", "evil.json", "--dry-run");
  expect(stdout).toContain("Deploy\\u001b]0;owned\\u0007 \\u009b2J \\u202eyap\\u202c");
  const plan = JSON.parse((await run("run", "evil.json", "--dry-run", "--json")).stdout);
  expect(plan.workflow).toBe(evil);
});
