import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localLauncher } from "@reprise/providers/launch/local-launcher";
import { identify, self } from "@reprise/providers/launch/process";
import type { ShellWork } from "@reprise/workflow/run/command";
import { expect, onTestFinished, test } from "vitest";
import { openStoreOf } from "../../../../../test/store-of.ts";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { appears } from "../../../../../test/until.ts";
import type { Engine } from "../../engine.ts";
import { Hosts } from "../../hosts.ts";
import { runShell } from "./shell.ts";
import type { WorkContext } from "./work.ts";

async function setUp({ env = {} as Record<string, string> } = {}) {
  const root = temporaryFolder("shell");
  const home = join(temporaryFolder("shell-store"), "home");
  mkdirSync(home, { recursive: true });
  const store = await openStoreOf(home);
  onTestFinished(() => store.close());
  const engine = {
    launcher: localLauncher(root),
    store,
    hosts: new Hosts({ store, owner: self(), now: Date.now }),
    within: null,
    now: Date.now,
    env: { PATH: process.env.PATH, HOME: root, ...env },
    secrets: [],
    settings: { endGrace: 200, maxScripts: 4 },
  } as unknown as Engine;
  const cancel = new AbortController();
  const leave = new AbortController();
  const context: WorkContext = {
    engine,
    run: "r1",
    execution: "build",
    attempt: 1,
    manual: true,
    continuity: null,
    folder: root,
    access: null,
    within: null,
    signal: cancel.signal,
    leave: leave.signal,
    recovered: false,
    rebooted: false,
    session: null,
    turns: [],
    note: async () => {},
  };
  return { root, engine, context, cancel, leave };
}

function script(
  text: string,
  more: Partial<ShellWork> & { timeout?: number; outputs?: readonly object[] } = {},
): ShellWork {
  const { timeout = null, outputs = [], ...rest } = more;
  return {
    type: "shell",
    node: { timeout, outputs } as unknown as ShellWork["node"],
    inputs: {},
    script: text,
    env: {},
    folder: null,
    ...rest,
  };
}

test("what it writes and how it ends are its outputs", async () => {
  const { context } = await setUp();
  const end = await runShell(context, script("echo one; echo two; echo careful >&2"));
  expect(end).toMatchObject({
    type: "done",
    outputs: { output: "one\ntwo", stderr: "careful", exitCode: 0, success: true },
  });
});

test("an exit code other than 0 is a failure with all its outputs", async () => {
  const { context } = await setUp();
  const end = await runShell(context, script("echo half; echo broken >&2; exit 7"));
  expect(end).toMatchObject({
    type: "failed",
    kind: "terminal",
    error: { code: "exit-code", message: "The script exited with code 7: broken" },
    outputs: { output: "half", exitCode: 7, success: false },
  });
});

test("it knows little of its surroundings, and all that its node gives it", async () => {
  const { context, root } = await setUp({ env: { ANTHROPIC_API_KEY: "sk-secret", EDITOR: "vi" } });
  const end = await runShell(
    context,
    script("env; pwd; cat", { env: { REPRISE_VALUE_1: "a b" }, inputs: { input: "on stdin" } }),
  );
  const lines = (end as unknown as { outputs: { output: string } }).outputs.output.split("\n");
  const names = lines.filter((line) => line.includes("=")).map((line) => line.split("=")[0]);
  expect(names).not.toContain("ANTHROPIC_API_KEY");
  expect(names).not.toContain("EDITOR");
  expect(lines).toContain("REPRISE_VALUE_1=a b");
  expect(lines).toContain("REPRISE_RUN=r1");
  expect(lines.slice(-2)).toEqual([root, "on stdin"]);
});

test("cancelled, nothing of it lives", async () => {
  const { context, cancel, root } = await setUp();
  const running = runShell(
    context,
    script("echo $$ > pid; trap '' TERM; while :; do sleep 1; done"),
  );
  await appears(join(root, "pid"));
  cancel.abort();
  expect(await running).toMatchObject({ type: "failed", kind: "cancelled" });
  const pid = Number(readFileSync(join(root, "pid"), "utf8"));
  // The system may keep it as a zombie a little longer, until its parent has read its exit.
  expect(identify(pid)).toBeNull();
});

test("too long, it is ended", async () => {
  const { context } = await setUp();
  const end = await runShell(context, script("while :; do sleep 1; done", { timeout: 300 }));
  expect(end).toMatchObject({ type: "failed", kind: "timed-out" });
});

test("left alone it keeps running, and the next owner takes its result; it ran once", async () => {
  const { context, leave, root, engine } = await setUp();
  const work = script(
    "echo ran >> ledger; touch begun; while [ ! -e go ]; do sleep 0.05; done; echo done",
  );
  const running = runShell(context, work);
  await appears(join(root, "begun"));
  leave.abort(new Error("left"));
  expect(await running).toEqual({ type: "left" });

  const again = runShell(
    { ...context, engine, leave: new AbortController().signal, recovered: true },
    work,
  );
  writeFileSync(join(root, "go"), "");
  expect(await again).toMatchObject({ type: "done", outputs: { output: "done" } });
  expect(readFileSync(join(root, "ledger"), "utf8")).toBe("ran\n");
});

test("W8: what is adopted has only the rest of its time", async () => {
  const { context, leave, root, engine } = await setUp();
  const work = script("touch begun; while :; do sleep 1; done", { timeout: 600_000 });
  const running = runShell(context, work);
  await appears(join(root, "begun"));
  leave.abort(new Error("left"));
  expect(await running).toEqual({ type: "left" });
  const later = { ...engine, now: () => Date.now() + 600_000 } as Engine;
  const again = { ...context, engine: later, leave: new AbortController().signal };
  expect(await runShell({ ...again, recovered: true }, work)).toMatchObject({
    kind: "timed-out",
    error: { message: "The script did not end within 600000 ms and was stopped." },
  });
});

test("of one that began before the machine did, files that are missing prove nothing", async () => {
  const { context, root } = await setUp();
  const again = { ...context, recovered: true, rebooted: true };
  expect(await runShell(again, script("echo ran >> ledger"))).toMatchObject({
    type: "failed",
    kind: "interrupted",
  });
  expect(existsSync(join(root, "ledger"))).toBe(false);
});

test("a value that cannot be passed to a program is reported", async () => {
  const { context } = await setUp();
  const work = { ...script("echo"), env: { NAME: "a\0b" } };
  expect(await runShell(context, work)).toMatchObject({
    type: "failed",
    error: { code: "value-with-nul" },
  });
});

test("one that kills itself and its shim has failed, because its watcher is alive", async () => {
  const { context } = await setUp();
  expect(await runShell(context, script("kill -9 0"))).toMatchObject({
    type: "failed",
    kind: "terminal",
    error: { code: "interrupted" },
  });
});

test.each([
  ["with its shim", "kill -9 0"],
  ["alone", "kill -9 $$"],
])("one that was cut off %s without a watcher was interrupted", async (_, cut) => {
  const { context, leave, root } = await setUp();
  const work = script(`touch begun; while [ ! -e go ]; do sleep 0.05; done; ${cut}`);
  const running = runShell(context, work);
  await appears(join(root, "begun"));
  leave.abort(new Error("left"));
  expect(await running).toEqual({ type: "left" });
  writeFileSync(join(root, "go"), "");
  const again = { ...context, leave: new AbortController().signal, recovered: true };
  expect(await runShell(again, work)).toMatchObject({ type: "failed", kind: "interrupted" });
});

test("once its end is durable nothing is left of it", async () => {
  const { context, root } = await setUp();
  const end = await runShell(context, script("true"));
  expect(readdirSync(join(root, "turns"))).toHaveLength(1);
  await (end as unknown as { settled(): Promise<void> }).settled();
  expect(readdirSync(join(root, "turns"))).toEqual([]);
});

test("a value that is too long for the environment is reported", async () => {
  const { context } = await setUp();
  const end = await runShell(context, script("true", { env: { BIG: "x".repeat(200_000) } }));
  expect(end).toMatchObject({ type: "failed", kind: "usage", error: { code: "value-too-long" } });
});

test("W18: values that are too long together are named as such", async () => {
  const { context } = await setUp();
  const env = Object.fromEntries([...Array(40).keys()].map((n) => [`V${n}`, "x".repeat(120_000)]));
  expect(await runShell(context, script("true", { env }))).toMatchObject({
    type: "failed",
    error: { code: "values-too-long", message: expect.stringContaining("E2BIG") },
  });
});

test("W18: a declared output has what was printed, in its type", async () => {
  const { context } = await setUp();
  const outputs = ["string", "json", "number"].map((type) => ({ name: type, type }));
  const end = await runShell(context, script("echo 42", { outputs }));
  expect(end).toMatchObject({ type: "done", outputs: { string: "42", json: 42, number: 42 } });
});
