import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, runWith, remove } = testHome("protect", { columns: 200 });
afterAll(remove);

const id = "0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10";
const file = join(folder, "user", ".claude", "projects", "-work", `${id}.jsonl`);
const env = {
  HOME: join(folder, "user"),
  CLAUDE_CONFIG_DIR: "",
  CODEX_HOME: "",
  GEMINI_CLI_HOME: "",
};
const run = (...argv: string[]) => runWith({ env }, ...argv);
const document = async (...argv: string[]) => JSON.parse((await run(...argv, "--json")).stdout);

mkdirSync(dirname(file), { recursive: true });
const message = (uuid: string, content: string) =>
  `${JSON.stringify({ type: "user", uuid, parentUuid: null, sessionId: id, cwd: "/work", message: { role: "user", content } })}\n`;
writeFileSync(file, message("u1", "Fix the parser."));
const soon = Date.now() / 1000 - 29 * 86_400;
utimesSync(file, soon, soon);

test("doctor offers it, status lists what expires and what is gone, restore puts it back", async () => {
  await run("agent", "create", "coder", "--provider", "scripted");
  const offered = (await document("doctor")).findings.find(
    ({ subject }: { subject: string }) => subject === "protect",
  );
  expect(offered).toMatchObject({
    state: "warning",
    text: expect.stringContaining("1 that Reprise does not keep is in"),
    hint: expect.stringContaining("protect on"),
  });
  expect((await run("status")).stdout).not.toContain("Protect");
  expect(await run("protect", "on")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Protect is on\. Scanned 1 session file in .*: 1 new, 0 changed\.$/m,
    ),
    stderr: expect.stringContaining("up --detach"),
  });
  expect((await run("status")).stdout).toMatch(
    /^Protect on, last scan .*: reprise protect status$/m,
  );
  const kept = await run("protect", "status");
  expect(kept.stdout).toMatch(/^claude +1 +0 +0 +\S+ \S+ +after 30 days/m);
  expect(kept.stdout).toMatch(
    new RegExp(`Next to expire:\\n.*\\n${id} +claude .*/work +Fix the parser\\.`),
  );
  const followed = (await document("doctor")).findings.filter(
    ({ subject }: { subject: string }) => subject === "protect",
  );
  expect(followed).toMatchObject([
    { state: "ok", text: expect.stringMatching(/^1 sessions? kept, .*last scan/) },
  ]);

  rmSync(file);
  expect(await document("protect", "scan")).toMatchObject({ gone: 1, filesRead: 0 });
  const { lost, expiring } = await document("protect", "status");
  expect([lost, expiring]).toMatchObject([[{ id, goneAt: expect.any(Number) }], []]);
  const planned = await run("session", "restore", "0f5b1c1e", "--dry-run");
  expect(planned).toMatchObject({ code: 0, stdout: `write     ${file}\n` });
  expect(existsSync(file)).toBe(false);
  expect(await run("session", "restore", "0f5b1c1e")).toMatchObject({
    code: 0,
    stdout: `written   ${file}\n`,
    stderr: expect.stringContaining(`session import --provider claude --id ${id}`),
  });
});

test("a file that differs is replaced only with --force, and kept aside", async () => {
  writeFileSync(file, message("u2", "Something else."));
  appendFileSync(file, message("u3", "And more."));
  expect(await run("session", "restore", id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("--force"),
  });
  const { stderr } = await run("session", "restore", id, "--force");
  expect(stderr).toContain(join(folder, "home", "found", "restore-"));
  expect(await document("session", "restore", id)).toMatchObject({ changed: false });
});

test("it can be turned off, and a copy forgotten", async () => {
  expect(await run("protect", "forget", "0f5b")).toMatchObject({
    code: 0,
    stdout: `Removed the copy of session ${id} of claude.\n`,
  });
  expect(await run("protect", "forget", "0f5b")).toMatchObject({ code: 4 });
  expect(await run("protect", "off")).toMatchObject({ code: 0 });
  expect(await document("protect", "status")).toMatchObject({ onAt: null });
  expect(await run("protect", "scan", "--agent", "none")).toMatchObject({ code: 4 });
});

test("hooks are shown, added only with a confirmation, and removed again", async () => {
  const settings = join(folder, "user", ".claude", "settings.json");
  const own = {
    model: "opus",
    hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
  };
  writeFileSync(settings, JSON.stringify(own));
  const read = () => JSON.parse(readFileSync(settings, "utf8"));
  const refused = await run("protect", "on", "--hooks");
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("protect scan --quiet"),
  });
  expect(read()).toEqual(own);
  expect(await document("protect", "status")).toMatchObject({ onAt: null });

  const added = await run("protect", "on", "--hooks", "--yes");
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining(settings) });
  const { hooks, model } = read();
  expect(model).toBe("opus");
  expect(Object.keys(hooks)).toEqual(["Stop", "SessionEnd"]);
  expect(hooks.Stop).toMatchObject([own.hooks.Stop[0], { hooks: [{ type: "command" }] }]);
  expect(await document("protect", "on", "--hooks", "--yes")).toMatchObject({ hooks: [] });
  expect(await run("protect", "off")).toMatchObject({
    stdout: expect.stringContaining(`Removed its hooks from ${settings}.`),
  });
  expect(read()).toEqual(own);

  writeFileSync(settings, "{ // mine\n}");
  expect(await run("protect", "on", "--hooks", "--yes")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not plain JSON"),
  });
  expect(readFileSync(settings, "utf8")).toBe("{ // mine\n}");
});
