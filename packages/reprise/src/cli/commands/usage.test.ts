import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { usageReportSchema } from "@reprise/core/api/schemas";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, run, remove } = testHome("usage");
afterAll(remove);
const paragraph = "word ".repeat(2000);

beforeAll(async () => {
  const script = join(folder, "script.json");
  const rules = [{ when: { prompt: "crash" }, do: ["model", "crash"] }];
  writeFileSync(script, JSON.stringify({ rules }));
  await run("agent", "create", "coder", "--provider", "scripted", "--set", `script=${script}`);
  await run("sessions", "send", "long", `echo ${paragraph}`, "--agent", "coder");
  await run("sessions", "send", "long", "echo on");
  await run("sessions", "send", "crashed", "crash", "--agent", "coder");
});

async function report(...argv: string[]) {
  const { stdout } = await run("usage", ...argv, "--json");
  return usageReportSchema().strict().parse(JSON.parse(stdout));
}

test("reported usage is measured, and what a reseed would have sent is estimated", async () => {
  const { sessions, turns, total } = await report("--key", "long");
  expect(sessions).toHaveLength(1);
  expect(total).toMatchObject({ turns: 2, outcomes: { resume: 1, blank: 1 }, unreportedTurns: 0 });
  const [second, first] = turns!;
  const prompt = Buffer.byteLength(`echo ${paragraph}`) + Buffer.byteLength(paragraph.trim());
  expect(first).toMatchObject({ seq: 1, saved: { tokens: null, known: "unreported" } });
  expect(second?.cachedRead.known).toBe("measured");
  expect(second?.reseed).toEqual({
    tokens: Math.ceil((prompt + "echo on".length) / 4),
    known: "estimated",
  });
  expect(second?.saved.tokens).toBe(second!.reseed.tokens! - second!.uncached.tokens!);
  expect(second!.saved.tokens!).toBeGreaterThan(4000);
});

test("unreported usage is not zero", async () => {
  const { total } = await report("--key", "crashed");
  expect(total).toMatchObject({
    turns: 1,
    unreportedTurns: 1,
    uncached: { tokens: null, known: "unreported" },
    saved: { tokens: null, known: "unreported" },
  });
  const { stdout, stderr } = await run("usage", "--key", "crashed");
  expect(stdout).toMatch(/turn 1 +coder +1 blank( +-){5}\n/);
  expect(stderr).toContain("1 turn reported no usage.");
});

test("the table has every session and the total, and explains the numbers", async () => {
  const { code, stdout, stderr } = await run("usage");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^SESSION +AGENT +OUTCOMES +CACHED +WRITTEN +UNCACHED +OUTPUT +SAVED\n/);
  expect(stdout).toMatch(
    /\ncrashed .*\nlong +coder +1 resume, 1 blank .*~[\d,]+\ntotal +1 resume, 2 blank /,
  );
  expect(stderr.replaceAll("\n", " ")).toContain("Resuming does not shrink what a model is sent");
});

test("filters by period and by agent", async () => {
  expect((await report("--since", "1h")).total.turns).toBe(3);
  const { stderr } = await run("usage", "--since", "1ms");
  expect(stderr).toBe("No turn has run.\n");
  expect((await report("--agent", "coder")).sessions).toHaveLength(2);
});

test.each([
  [["--key", "nothing"], 4],
  [["--agent", "missing"], 4],
  [["--key", "no key"], 2],
  [["--since", "soon"], 2],
  [["--limit", "0"], 2],
])("usage %j is refused with one sentence", async (argv, code) => {
  const { stderr, ...ended } = await run("usage", ...argv);
  expect(ended).toEqual({ code, stdout: "" });
  expect(stderr).toMatch(/^reprise: [^\n]+\n$/);
});
