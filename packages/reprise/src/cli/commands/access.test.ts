import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, run, document, remove } = testHome("access");
afterAll(remove);

const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test("S3: an agent's access is set, changed and shown", async () => {
  const made = await run("agent", "create", "coder", "--provider", "scripted");
  expect(made).toMatchObject({ stdout: "Created agent coder (scripted, access edit).\n" });
  const changed = await run(
    ...["agent", "set", "coder", "--access", "read"],
    ...["--allow-command", "npm test", "--allow-command", "git diff", "--on-denied", "fail"],
  );
  expect(changed.stdout).toBe("Changed agent coder: access, allowedCommands, onDenied.\n");
  const { stdout } = await run("agent", "show", "coder");
  expect(stdout).toMatch(/^access +read$/m);
  expect(stdout).toMatch(/^commands +npm test, git diff$/m);
  expect(stdout).toMatch(/^on denied +fail$/m);
  expect((await run("agent", "list")).stdout).toMatch(/ACCESS.*\n.*coder +scripted +read/);
  await run("agent", "set", "coder", "--unset", "allowedCommands", "--on-denied", "note");
  expect(await document("agent", "show", "coder")).toMatchObject({ allowedCommands: [] });
});

test.each([
  [["--access", "all"], 2, "all"],
  [["--allow-command", "npm test && id"], 2, "npm test && id"],
  [["--on-denied", "ask"], 2, "scripted cannot ask"],
])("S3: agent create %j is refused", async (options, code, words) => {
  const refused = await run("agent", "create", "other", "--provider", "scripted", ...options);
  expect(refused).toMatchObject({ code, stderr: expect.stringContaining(words) });
  expect((await run("agent", "show", "other")).code).toBe(4);
});

test("S3: a turn shows what it was allowed to do, and what it was denied", async () => {
  const denied = await run("sessions", "send", "k", "write file a.txt", "--agent", "coder");
  expect(denied).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Denied (access read): write: a.txt"),
  });
  const raised = await run("sessions", "send", "k", "write file a.txt", "--access", "edit");
  expect([raised.code, existsSync(join(folder, "a.txt"))]).toEqual([0, true]);
  expect((await run("why", "k")).stdout).toContain("agent coder · access edit");
});

test("S3: a run ends with what its agents were denied, and marks the node", async () => {
  const steps = "steps: { look: { agent: scripted, access: read, prompt: write file b.txt } }";
  const ran = await run("run", file("look.yaml", `name: x\n${steps}\n`), "--id", "r1");
  expect(ran.code).toBe(0);
  expect(ran.stderr.trimEnd().split("\n").at(-1)).toBe("! look was denied write: b.txt");
  const shown = await run("show", "r1");
  expect(shown.stdout).toContain("1 denied");
  expect(shown.stderr).toContain("look was denied write: b.txt");
});

test("S3: a workflow that wants more than maxAccess is refused before anything starts", async () => {
  const steps = "steps: { boss: { agent: scripted, access: full, prompt: run command id } }";
  const path = file("boss.yaml", `name: x\n${steps}\n`);
  const refused = await run("run", path, "--id", "r2");
  expect(refused).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(
      /Node "boss": It asks for access full, but maxAccess in your settings is edit\. Run it with --access full/,
    ),
  });
  expect((await run("show", "r2")).code).toBe(4);
  expect((await run("run", path, "--id", "r2", "--access", "full")).code).toBe(0);
});
