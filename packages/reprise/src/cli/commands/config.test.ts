import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { runProgram } from "../program.ts";
import { testSurroundings } from "../test-surroundings.ts";

function user(env: Record<string, string> = {}) {
  const folder = temporaryFolder("config");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, ".config", "reprise", "config.yaml");
  const run = async (...argv: string[]) => {
    const surroundings = testSurroundings({ cwd: folder, env: { HOME: folder, ...env } });
    const code = await runProgram(argv, surroundings);
    return { code, stdout: surroundings.stdoutText(), stderr: surroundings.stderrText() };
  };
  return { file, project: join(folder, ".reprise", "config.yaml"), run };
}

test("a setting is set, shown with its file, and removed again", async () => {
  const { file, run } = user();
  expect(await run("config", "set", "budget.maxAge", "720h")).toEqual({
    code: 0,
    stdout: `Set budget.maxAge to 30d in ${file}.\n`,
    stderr: "",
  });
  const { stdout } = await run("config", "show", "--json");
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ name: "budget.maxAge", value: "30d", origin: file }),
  );
  expect(await run("config", "unset", "budget.maxAge", "--json")).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify({ name: "budget.maxAge", file }, null, 2)}\n`,
  });
  expect(await run("config", "unset", "budget.maxAge")).toMatchObject({ code: 4 });
});

test("a value that overrides the file is pointed out", async () => {
  const { project, file, run } = user({ REPRISE_END_GRACE: "2s" });
  await run("config", "set", "maxStrikes", "5", "--project");
  expect(readFileSync(project, "utf8")).toBe("maxStrikes: 5\n");
  const covered = await run("config", "set", "maxStrikes", "7");
  expect(covered.stdout).toBe(`Set maxStrikes to 7 in ${file}.\n`);
  expect(covered.stderr).toBe(`maxStrikes is 5: that comes from ${project}.\n`);
  expect((await run("config", "set", "endGrace", "1s")).stderr).toBe(
    "endGrace is 2s: that comes from the environment.\n",
  );
  expect((await run("config", "unset", "maxStrikes", "--project")).stderr).toBe(
    `maxStrikes is 7: that comes from ${file}.\n`,
  );
});

test("prints the files, or only one of them", async () => {
  const { project, file, run } = user();
  await run("config", "set", "maxStrikes", "5");
  expect(await run("config", "path", "--user")).toMatchObject({ code: 0, stdout: `${file}\n` });
  expect(await run("config", "path", "--project")).toMatchObject({ stdout: `${project}\n` });
  expect(JSON.parse((await run("config", "path", "--json")).stdout)).toEqual([
    { scope: "project", file: project, exists: false },
    { scope: "user", file, exists: true },
  ]);
});

test.each([
  [["set", "maxStrike", "3"], 'There is no setting "maxStrike" (command line). Did you mean'],
  [["set", "maxStrikes", "x"], '"x" is not a value for maxStrikes (command line). Write a whole'],
  [["set", "maxStrikes"], "The argument <value> is missing."],
  [["set", "maxStrikes", "3", "--user", "--project"], '"--user" cannot be used with'],
])("config %j is a usage error", async (argv, says) => {
  const { run } = user();
  const { code, stdout, stderr } = await run("config", ...argv);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^reprise: [^\n]+\n$/);
  expect(stderr).toContain(says);
});

test("V3: config set --project refuses what only the user may set, and writes nothing", async () => {
  const { project, run } = user();
  for (const [name, value] of [
    ["archiveAfter", "1s"],
    ["prune.mode", "enforce"],
    ["reset.mode", "daily"],
    ["acrossAccounts", "reseed"],
  ] as const) {
    const { code, stderr } = await run("config", "set", name, value, "--project");
    expect([code, stderr]).toEqual([2, expect.stringContaining(`cannot set ${name}`)]);
    expect(stderr).toContain(`reprise config set ${name}`);
  }
  expect(existsSync(project)).toBe(false);
});

test("V3: a command in a foreign folder says which of its settings are ignored", async () => {
  const { project, run } = user();
  mkdirSync(dirname(project), { recursive: true });
  writeFileSync(project, "prune: { mode: enforce }\nnope: 1\n");
  const { code, stdout, stderr } = await run("config", "show", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ name: "prune.mode", value: "warn", scopes: ["user"] }),
  );
  expect(stderr.trim().split("\n")).toEqual([
    expect.stringContaining("cannot set prune.mode"),
    expect.stringContaining('no setting "nope"'),
  ]);
});

test("doctor says what is installed before there is a home, and creates none", async () => {
  const { run } = user({ PATH: "/nowhere" });
  const { code, stdout } = await run("doctor", "--json");
  expect(code).toBe(0);
  const { findings } = JSON.parse(stdout);
  expect(findings.slice(0, 3)).toMatchObject([
    { subject: "node", state: "ok" },
    {
      subject: "home",
      state: "warning",
      text: expect.stringContaining("There is no Reprise home"),
    },
    { subject: "program claude", state: "warning", hint: expect.stringContaining("npm install") },
  ]);
  expect((await run("status")).code).toBe(4);
});

test("S21: doctor names a bad key of the project once, among its findings", async () => {
  const { project, run } = user();
  await run("agent", "create", "echo", "--provider", "scripted");
  mkdirSync(dirname(project), { recursive: true });
  writeFileSync(project, "prune: { mode: enforce }\nnope: 1\n");
  const { stdout, stderr } = await run("doctor");
  expect(stderr).toBe("");
  expect(stdout.match(/cannot set prune\.mode/g)).toHaveLength(1);
  expect(stdout).toContain(
    'There is no setting "nope". List all settings with "reprise config show".',
  );
});

test.each([
  ["an unknown setting", "nope: 1\nmaxStrikes: 5\n", 'There is no setting "nope"', 5],
  ["a bad value", "maxAccess: most\nmaxStrikes: 5\n", '"most" is not a value for maxAccess', 5],
  ["invalid YAML", "a: [\n", "is not valid YAML", 3],
])(
  "S21: with %s in your settings, doctor and config show work and name it",
  async (_, text, named, strikes) => {
    const { file, run } = user();
    await run("agent", "create", "echo", "--provider", "scripted");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const shown = await run("config", "show", "--json");
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining(named) });
    expect(shown.stderr).toContain(file);
    expect(JSON.parse(shown.stdout)).toContainEqual(
      expect.objectContaining({ name: "maxStrikes", value: strikes }),
    );
    const { code, stdout } = await run("doctor", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({
        subject: "settings",
        state: "problem",
        text: expect.stringContaining(named),
      }),
    );
    expect(await run("agent", "list")).toMatchObject({ code: 2 });
  },
);
