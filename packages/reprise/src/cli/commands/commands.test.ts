import { mkdir, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { turnResultSchema } from "@reprise/core/api/schemas";
import { openReprise } from "@reprise/engine/open-reprise";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, run, runWith, remove } = testHome("cli");
afterAll(remove);
beforeAll(() => run("agent", "create", "echo", "--provider", "scripted"));

test("a turn prints its answer, and its outcome on standard error", async () => {
  const first = await run("sessions", "send", "human", "remember APPLE-739", "--agent", "echo");
  expect(first).toMatchObject({ code: 0, stdout: "I will remember APPLE-739\n" });
  expect(first.stderr).toMatch(/^blank · first turn · turn 1 of human · scripted\n\d+ tokens in/);

  const question = "what did I ask you to remember?";
  const second = await runWith({ stdin: question }, "sessions", "send", "human", "-");
  expect(second.stdout).toBe("APPLE-739\n");
  expect(second.stderr).toContain("resume · all guards pass · turn 2 of human · scripted\n");

  const quiet = await run("-q", "sessions", "send", "human", question, "--fresh-session");
  expect(quiet).toEqual({ code: 0, stdout: "APPLE-739\n", stderr: "" });

  const blank = await run("sessions", "send", "human", question, "--blank");
  expect(blank.stdout).toBe("You did not ask me to remember anything.\n");
  expect(blank.stderr).toContain("blank · policy: resume → blank (turn) · turn 4 of human");
});

test("a changed folder is shown with its stored and current value", async () => {
  await mkdir(join(folder, "other"));
  await run("sessions", "send", "folders", "echo a", "--agent", "echo");
  const { stderr } = await run("sessions", "send", "folders", "echo b", "--folder", "other");
  expect(stderr).toContain(`reseed · folder: ${folder} → ${join(folder, "other")} · turn 2`);
});

test("--json prints only the turn", async () => {
  const { code, stdout, stderr } = await run(
    ...["sessions", "send", "machine", "echo hi", "--agent", "echo", "--json"],
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(turnResultSchema().strict().parse(JSON.parse(stdout))).toMatchObject({
    turn: { seq: 1, status: "done" },
    session: { key: "machine", agent: "echo", provider: "scripted", epoch: 0 },
    decision: { outcome: "blank", reason: "prior", surface: "direct", mode: "resume" },
    attempts: [{ number: 1, ending: "confirmed" }],
    output: "hi",
    error: null,
  });
});

test("a damaged history is repaired and reported", async () => {
  const send = ["sessions", "send", "damaged"];
  await run(...send, "remember PEAR-12", "--agent", "echo");
  const { handle } = JSON.parse((await run("sessions", "show", "damaged", "--json")).stdout);
  const home = join(folder, "home");
  const names = await readdir(home, { recursive: true });
  await truncate(join(home, names.find((name) => name.endsWith(`${handle}.jsonl`))!));

  const verified = await run("sessions", "verify", "damaged");
  expect(verified.code).toBe(1);
  expect(verified.stdout).toMatch(
    /✗ +damaged +echo +restorable +whole, 1 of 1 usable +2 of 2 given/,
  );
  expect(verified.stdout).toContain("The next turn restores it from the checkpoint.");
  const { stdout, stderr } = await run(...send, "what did I ask you to remember?");
  expect(stdout).toBe("PEAR-12\n");
  expect(stderr).toContain("all guards pass, history restored");
  expect(stderr).toContain("! The provider's history was shorter; it was restored");
});

test("why and explain show outcome, reason and every guard", async () => {
  await run("sessions", "send", "explained", "echo a", "--agent", "echo");
  const why = await run("why", "explained");
  expect(why.stdout).toMatch(
    /^blank · first turn · turn 1 of explained · scripted\nturn \w+ · done/,
  );
  expect(why.stdout).toMatch(/ {2}✗ {2}prior +none +0 messages/);

  const explained = await run("sessions", "explain", "explained", "--reseed");
  expect(explained.stdout).toMatch(/^reseed · policy: resume → reseed \(turn\) · next turn of/);
  expect(explained.stdout.match(/^ {2}[✓✗] /gm)).toHaveLength(14);

  const { decision } = JSON.parse((await run("sessions", "explain", "explained", "--json")).stdout);
  expect(decision).toMatchObject({ outcome: "resume", reason: "all-hold" });
  const { turn } = JSON.parse((await run("why", "explained", "--json")).stdout);
  expect(turn).toMatchObject({ seq: 1, status: "done" });
  expect((await run("why", turn.id.slice(0, 8))).code).toBe(0);
});

test("K1: a verdict has `passed`, and still its earlier name `held`", async () => {
  await run("sessions", "send", "named", "echo one", "--agent", "echo");
  const { decision } = JSON.parse((await run("why", "named", "--json")).stdout);
  expect(decision.verdicts).toHaveLength(14);
  for (const { guard, passed, held } of decision.verdicts) {
    expect(passed).toBe(guard !== "prior");
    expect(held).toBe(passed);
  }
});

test("lists and details fit a terminal of 80 columns", async () => {
  const key = `wf:${"long-".repeat(30)}:agent:echo`;
  await run("sessions", "send", key, `echo ${"words ".repeat(40)}`, "--agent", "echo");
  for (const command of [
    ["sessions", "list"],
    ["sessions", "show", key],
    ["sessions", "explain", key],
    ["sessions", "verify"],
    ["why", key],
    ["usage"],
    ["usage", "--key", key],
    ["agent", "list"],
    ["agent", "show", "echo"],
    ["config", "show"],
    ["doctor"],
  ]) {
    const { code, stdout } = await runWith({ columns: 80 }, ...command);
    expect({ command, code }).toEqual({ command, code: 0 });
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  }
});

test("a list continues after a key", async () => {
  for (const key of ["page-1", "page-2"])
    await run("sessions", "send", key, "echo a", "--agent", "echo");
  const { stdout, stderr } = await run("sessions", "list", "--limit", "1");
  expect(stdout).toMatch(/^KEY .*\npage-2 +echo +scripted +1 +blank +done +/);
  expect(stderr).toContain("or the next with --after page-2");
  const rest = await run("sessions", "list", "--after", "page-2", "--limit", "1", "--json");
  expect(JSON.parse(rest.stdout)).toMatchObject([{ key: "page-1", turns: 1 }]);
  expect(await run("sessions", "list", "--after", "nowhere")).toMatchObject({ code: 4 });
});

test("a session shows its newest turns, how many there are, and how to see them", async () => {
  for (const word of ["a", "b", "c"])
    await run("sessions", "send", "shown", `echo ${word}`, "--agent", "echo");
  const turns = (text: string) => [...text.matchAll(/^ +(\d) .* echo (\w)$/gm)].map(([, n]) => n);

  const newest = await run("sessions", "show", "shown", "--limit", "2");
  expect(turns(newest.stdout)).toEqual(["3", "2"]);
  const hint = /^The newest 2 of 3 turns\. All: reprise (session show shown --limit 3)$/m;
  const [, command] = newest.stderr.match(hint)!;
  for (const argv of [command!.split(" "), ["sessions", "show", "shown"]]) {
    const { stdout, stderr } = await run(...argv);
    expect({ turns: turns(stdout), stderr }).toEqual({ turns: ["3", "2", "1"], stderr: "" });
  }

  const { stdout } = await run("sessions", "show", "shown", "--limit", "1", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ turns: 3, recent: [{ seq: 3, prompt: "echo c" }] });
});

test("a session with more turns than are shown says so", async () => {
  const reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
  for (let turn = 1; turn <= 21; turn += 1)
    await reprise.sessions.send({ key: "many", agent: "echo", prompt: `echo ${turn}` });
  await reprise.close();
  const { stdout, stderr } = await run("sessions", "show", "many");
  expect(stdout).toMatch(/^ +21 /m);
  expect(stdout).not.toMatch(/ echo 1$/m);
  expect(stderr).toContain("The newest 20 of 21 turns.");
  expect((await run("sessions", "show", "many", "-q")).stderr).toBe("");
});

test("an empty list says what to type next", async () => {
  await run("agent", "create", "echo", "--provider", "scripted", "--home", "empty");
  const { code, stdout, stderr } = await run("sessions", "list", "--home", "empty");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain("reprise --home empty agent create coder --provider codex");
});

test("purge removes, and a purged key is not found", async () => {
  await run("sessions", "send", "gone", "echo a", "--agent", "echo");
  expect(await run("sessions", "rm", "gone", "--yes")).toEqual({
    code: 0,
    stdout: "Removed session gone.\n",
    stderr: "",
  });
  expect(await run("sessions", "show", "gone")).toMatchObject({ code: 4 });
  expect(await run("sessions", "purge", "gone", "--yes")).toMatchObject({ code: 4 });
});

test.each([
  ["an unknown agent", ["sessions", "send", "new", "hi", "--agent", "missing"], 4],
  ["a new key without an agent", ["sessions", "send", "new", "hi"], 2],
  ["an unknown key", ["sessions", "show", "unknown"], 4],
  ["an unknown turn", ["why", "unknown"], 4],
  ["an unknown agent to show", ["agent", "show", "missing"], 4],
  ["an unknown provider", ["agent", "create", "x", "--provider", "nothing"], 2],
  ["a missing folder", ["sessions", "send", "new", "hi", "--agent", "echo", "--folder", "no"], 2],
])("%s: one sentence, exit code, and with --json a document", async (_, argv, code) => {
  const human = await run(...argv);
  expect(human.stderr).toMatch(/^reprise: [^\n]+\n$/);
  expect(human).toMatchObject({ code, stdout: "" });
  const machine = await run(...argv, "--json");
  expect(machine.code).toBe(code);
  expect(JSON.parse(machine.stdout)).toEqual({
    error: {
      code: expect.any(String),
      message: expect.stringMatching(/\.$/),
      hint: expect.any(String),
    },
  });
});

test("a failed turn and one that times out print their document and their exit code", async () => {
  const script = join(folder, "script.json");
  const rules = [
    { when: { prompt: "hang" }, do: ["hang"] },
    { when: { prompt: "fail" }, do: [{ fail: { kind: "transient", message: "overloaded" } }] },
  ];
  await writeFile(script, JSON.stringify({ rules }));
  await run("agent", "create", "moody", "--provider", "scripted", "--set", `script=${script}`);

  const send = ["sessions", "send", "moody", "--agent", "moody", "--json"];
  const failed = await run(...send, "fail");
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/^reprise: [^\n]*overloaded[^\n]*\n$/);
  expect(JSON.parse(failed.stdout)).toMatchObject({ turn: { status: "failed" }, output: null });

  const late = await run(...send, "hang", "--timeout", "100ms");
  expect(late.code).toBe(6);
  expect(JSON.parse(late.stdout).attempts.at(-1)).toMatchObject({ ending: "timed-out" });
});

test("the demo shows all outcomes, as real turns under its own key", async () => {
  const { code, stdout } = await run("demo", "--json");
  expect(code).toBe(0);
  const { key, steps } = JSON.parse(stdout);
  expect(
    steps.map(
      ({ result }: { result: { decision: { outcome: string } } }) => result.decision.outcome,
    ),
  ).toEqual(["blank", "resume", "resume", "reseed", "reseed", "blank"]);
  expect(JSON.parse((await run("sessions", "show", key, "--json")).stdout)).toMatchObject({
    turns: 6,
  });
});

test("the demo fits a terminal of 80 columns and ends with what to try", async () => {
  const { code, stdout } = await runWith({ columns: 80 }, "demo");
  expect(code).toBe(0);
  // The path of the home is as long as it is.
  const lines = stdout.split("\n").filter((line) => !line.includes("export REPRISE_HOME="));
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(stdout).toContain("Now try it yourself:");
});
