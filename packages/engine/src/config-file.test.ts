import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { configFile, readSettings } from "./config.ts";
import { setSetting, unsetSetting } from "./config-file.ts";
import { openReprise } from "./open-reprise.ts";

function scratch(text?: string): string {
  const folder = temporaryFolder("config");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = configFile("project", { env: {}, cwd: folder });
  if (text !== undefined) {
    mkdirSync(dirname(file));
    writeFileSync(file, text);
  }
  return file;
}

const read = (file: string) => readFileSync(file, "utf8");

async function value(file: string, name: string): Promise<unknown> {
  const cwd = dirname(dirname(file));
  const { list } = await readSettings({ flags: {}, env: { HOME: cwd }, cwd });
  return list().find((setting) => setting.name === name)?.value;
}

const commented = `# Settings of the parser.

# Never start again without asking.
onResumeFailure: fail # see the handbook

budget:
  # Sessions of a month.
  maxAge: 30d
  over: warn

# The end.
`;

test("comments, order and blank lines stay", async () => {
  const file = scratch(commented);
  expect(await setSetting(file, "budget.maxAge", "2d")).toBe("2d");
  expect(read(file)).toBe(commented.replace("30d", "2d"));
  await setSetting(file, "budget.maxTokens", "100000");
  expect(read(file)).toBe(
    commented.replace("30d", "2d").replace("over: warn\n", "over: warn\n  maxTokens: 100000\n"),
  );
  expect(await value(file, "budget.maxTokens")).toBe(100000);
});

test("a setting is taken out with the comment above it, and no other", async () => {
  const file = scratch(commented);
  await unsetSetting(file, "onResumeFailure");
  expect(read(file)).toContain("# Settings of the parser.\n");
  expect(read(file)).not.toContain("Never start again");
  await unsetSetting(file, "budget.maxAge");
  expect(read(file)).toContain("budget:\n");
  await unsetSetting(file, "budget.over");
  expect(read(file)).not.toContain("budget");
  expect(read(file)).toContain("# The end.\n");
  expect(await value(file, "budget.maxAge")).toBe("none");
  await setSetting(file, "maxStrikes", "5");
  expect(await value(file, "maxStrikes")).toBe(5);
});

test("a dotted name stays dotted", async () => {
  const file = scratch('"budget.maxAge": 30d\n');
  await setSetting(file, "budget.maxAge", "1d");
  expect(read(file)).toBe('"budget.maxAge": 1d\n');
  await unsetSetting(file, "budget.maxAge");
  expect(await value(file, "budget.maxAge")).toBe("none");
});

test("a file that is not there is made, one that is keeps its permissions, and no draft is left", async () => {
  const file = scratch();
  await setSetting(file, "budget.over", "refuse");
  expect(read(file)).toBe("budget:\n  over: refuse\n");
  const known = scratch("maxStrikes: 3\n");
  const { mode } = statSync(known);
  await setSetting(known, "maxStrikes", "4");
  expect(statSync(known).mode).toBe(mode);
  expect(readdirSync(dirname(known))).toEqual(["config.yaml"]);
});

test("a link stays a link", async () => {
  const target = scratch("maxStrikes: 3\n");
  const file = scratch();
  mkdirSync(dirname(file));
  symlinkSync(target, file);
  await setSetting(file, "maxStrikes", "4");
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(read(target)).toBe("maxStrikes: 4\n");
});

test.each([
  ["maxStrike", "3", "unknown-setting", 'There is no setting "maxStrike" (command line).'],
  ["maxStrikes", "many", "bad-setting", '"many" is not a value for maxStrikes (command line).'],
  ["budget", "3", "unknown-setting", 'There is no setting "budget" (command line).'],
  ["onAdvanced", "reseed", "unknown-setting", "There is no setting"],
])("%s %s changes nothing: %s", async (name, text, code, message) => {
  const wrong = "maxStrikez: 3\n";
  const file = scratch(wrong);
  await expect(setSetting(file, name, text)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
  expect(read(file)).toBe(wrong);
});

test("a bad value can be set right, and a group that is none is named", async () => {
  const file = scratch("maxStrikes: many\n");
  await setSetting(file, "maxStrikes", "3");
  expect(read(file)).toBe("maxStrikes: 3\n");
  const group = scratch("budget: 3\n");
  await expect(setSetting(group, "budget.maxAge", "3d")).rejects.toMatchObject({
    message: `There is no setting "budget" (${group}).`,
  });
  expect(read(group)).toBe("budget: 3\n");
});

test("what is wrong can be taken out", async () => {
  const file = scratch("maxStrikez: 3\nmaxStrikes: 3\n");
  await unsetSetting(file, "maxStrikez");
  expect(read(file)).toBe("maxStrikes: 3\n");
  await expect(unsetSetting(file, "turnTimeout")).rejects.toMatchObject({ code: "not-set" });
});

test.each(["maxStrikes: [3\n", "- maxStrikes\n", "just a text\n"])(
  "%j is not a settings file, and stays unchanged",
  async (text) => {
    const file = scratch(text);
    await expect(setSetting(file, "maxStrikes", "3")).rejects.toMatchObject({
      code: "bad-config",
      message: expect.stringContaining(file),
    });
    expect(read(file)).toBe(text);
  },
);

test("V3: the file of a cloned repository purges nothing, and is reported", async () => {
  const cwd = dirname(dirname(scratch("archiveAfter: 1s\nprune: { mode: enforce, after: 1s }\n")));
  const reprise = await openReprise({ home: join(cwd, "home"), cwd, env: { HOME: cwd } });
  onTestFinished(() => reprise.close());
  await reprise.agents.create({ name: "coder", provider: "scripted" });
  await reprise.sessions.send({ key: "old", agent: "coder", prompt: "echo hi" });
  await reprise.close();

  const later = await openReprise({
    home: join(cwd, "home"),
    cwd,
    env: { HOME: cwd },
    now: () => Date.now() + 3_600_000,
  });
  onTestFinished(() => later.close());
  expect(await later.sessions.prune()).toMatchObject({ enforced: false, steps: [] });
  expect(await later.sessions.list()).toMatchObject([{ key: "old", archivedAt: null }]);
  const { findings } = await later.doctor();
  expect(findings.filter(({ subject }) => subject === "settings")).toMatchObject([
    { state: "warning", text: expect.stringContaining("cannot set archiveAfter") },
    { text: expect.stringContaining("cannot set prune.mode") },
    { text: expect.stringContaining("cannot set prune.after") },
  ]);
});

test.each([
  ["not YAML", "a: [\n"],
  ["a list", "- a\n"],
  ["too long", "#".repeat(1024 * 1024 + 1)],
])("V3: a project's file that is %s stops nothing", async (_, text) => {
  const cwd = dirname(dirname(scratch(text)));
  const { values, ignored } = await readSettings({ flags: {}, env: { HOME: cwd }, cwd });
  expect(values.maxStrikes).toBe(3);
  expect(ignored).toHaveLength(1);
});

test("V3: a project's file that is a device stops nothing", async () => {
  const file = scratch();
  mkdirSync(dirname(file));
  symlinkSync("/dev/zero", file);
  const cwd = dirname(dirname(file));
  const { ignored } = await readSettings({ flags: {}, env: { HOME: cwd }, cwd });
  expect(ignored).toEqual([`Ignored: ${file} is not a regular file of at most 1 MiB.`]);
});
