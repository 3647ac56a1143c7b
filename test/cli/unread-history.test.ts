/** A session file that cannot be read: one sentence that names it, the key is not stuck, and nothing is lost. */

import {
  existsSync,
  globSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { prepareHome } from "./prepared-home.ts";
import { expectRefusal } from "./refusal.ts";
import type { TestShell } from "./shell.ts";

const send = (...rest: string[]) => ["sessions", "send", "known", ...rest];
const recall = "what did I ask you to remember?";

/** Puts something in the place of the session's file that cannot be read; what is returned takes it away. */
function hide({ home }: TestShell, put: (file: string) => void): { file: string; show(): void } {
  const [name = ""] = globSync("agents/coder/scripted/sessions/*.jsonl", { cwd: home });
  const file = join(home, name);
  const kept = join(home, "kept");
  renameSync(file, kept);
  put(file);
  return {
    file,
    show() {
      rmSync(file, { recursive: true });
      renameSync(kept, file);
    },
  };
}

const obstacles: [string, (file: string) => void, string][] = [
  ["a folder", (file) => void mkdirSync(file), "it is a folder (EISDIR)"],
  ["a link to itself", (file) => symlinkSync(file, file), "ELOOP"],
];

test.each(obstacles)(
  "S0f: a session file that is %s is named, nothing is started, and the session resumes once it is back",
  async (_, put, says) => {
    await using shell = await prepareHome();
    const { file, show } = hide(shell, put);
    const refused = await shell.run(send(recall));
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The provider's file ${file} cannot be read: ${says}.`),
    });
    expect(refused.stderr).toContain("--reseed");
    expect(refused.stderr).not.toContain("defect");
    show();
    const resumed = await shell.run([...send(recall), "--json"]);
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      decision: { outcome: "resume" },
      output: "APPLE-739",
    });
  },
);

test.each([
  ["--reseed", "reseed", "APPLE-739"],
  ["--blank", "blank", expect.not.stringContaining("APPLE-739")],
])("S0f: %s works beside a session file that cannot be read", async (flag, outcome, output) => {
  await using shell = await prepareHome();
  hide(shell, (file) => void mkdirSync(file));
  const sent = await shell.run([...send(recall), flag, "--json"]);
  expect(sent.code).toBe(0);
  expect(JSON.parse(sent.stdout)).toMatchObject({ decision: { outcome }, output });
});

test("S0f: verify reports what it cannot read, and continues with the other keys", async () => {
  await using shell = await prepareHome();
  const { file } = hide(shell, (path) => void mkdirSync(path));
  const other = await shell.run(["sessions", "send", "zebra", "hello", "--agent", "coder"]);
  expect(other.code).toBe(0);
  const { code, stdout } = await shell.run(["sessions", "verify", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      key: "known",
      history: "unread",
      sound: false,
      findings: [expect.stringContaining(file), expect.any(String)],
    },
    { key: "zebra", history: "same", sound: true },
  ]);
});

test("S0f: a home that is a file, or below one, is a sentence and exit code 2", async () => {
  await using shell = await prepareHome();
  const file = shell.newFile("a-file", "");
  for (const [home, says] of [
    [file, `The home ${file} cannot be used: it is not a folder.`],
    [join(file, "below"), `${file} is not a folder.`],
  ] as const)
    for (const command of [["sessions", "list"], send("hello")])
      await expectRefusal(shell, [...command, "--home", home], {
        code: 2,
        error: "home-not-a-folder",
        says,
      });
});

test("S0f: a command in a folder that was removed is a sentence", async () => {
  await using shell = await prepareHome();
  const folder = shell.newFolder("removed");
  const inside = `process.chdir(${JSON.stringify(folder)}); require("node:fs").rmdirSync(${JSON.stringify(folder)})`;
  const removing = shell.newFile("removing.cjs", inside);
  const refusal = {
    code: 2,
    error: "no-current-folder",
    says: "The current folder no longer exists. Change to a folder that exists",
  };
  await expectRefusal(shell, ["sessions", "list"], refusal, { node: ["--require", removing] });
});

test("S0f: a session file that cannot be read after the turn fails the turn, and the key stays free", async () => {
  await using shell = await prepareHome();
  const script = join(shell.home, "script.json");
  const [working, released] = ["working", "released"].map((name) => join(shell.home, name));
  const held = ["save", { touch: working }, { "wait-for": released }];
  const rules = [{ when: { prompt: "echo held" }, do: held }];
  writeFileSync(script, JSON.stringify({ rules }));
  await shell.run(["agent", "set", "coder", "--set", `script=${script}`]);
  const sending = shell.run([...send("echo held"), "--json"]);
  await until(() => existsSync(working!));
  const { file, show } = hide(shell, (path) => void mkdirSync(path));
  writeFileSync(released!, "");
  const failed = await sending;
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({
    turn: { status: "failed" },
    error: { code: "history-unread", message: expect.stringContaining(file) },
  });
  const reseeded = await shell.run([...send(recall), "--reseed", "--json"]);
  expect(JSON.parse(reseeded.stdout)).toMatchObject({ output: "APPLE-739" });
  show();
});
