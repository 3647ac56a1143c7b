/** A server whose disk fills up: it says so, still stops and cancels, loses nothing, and continues when there is room. */

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markedRows } from "@reprise/providers/launch/process";
import { expect, type TestContext, test } from "vitest";
import { until } from "../until.ts";
import { ServedShell } from "./served-shell.ts";

interface Disk {
  fill(): void;
  free(): void;
}

const send = ["sessions", "send", "k", "--agent", "coder", "--json"];
const workflow = `name: w
steps:
  ask: { agentId: coder, mode: inherit_fresh, prompt: "job 2." }
  note: { shell: "echo noted", needs: ask }
`;

/** From now on no write of the process succeeds: its files may have one byte. Agents that run are not touched. */
function fileSizeLimit(pid: number, context: TestContext): Disk {
  const limit = (soft: string) =>
    execFileSync("/usr/bin/prlimit", ["--pid", String(pid), `--fsize=${soft}:unlimited`], {
      stdio: "pipe",
    });
  try {
    limit("unlimited");
  } catch {
    context.skip("there is no prlimit here, or it may not be used");
  }
  return { fill: () => limit("1"), free: () => limit("unlimited") };
}

async function ready(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/v1/ready`);
  return { status: response.status, body: await response.json() };
}

test("V5: a full disk is said by ready, status and doctor; the answer is taken when there is room", async (context) => {
  const shell = ServedShell.open();
  await shell.createAgent();
  shell.hold();
  const { child, url } = await shell.up();
  const disk = fileSizeLimit(child.pid!, context);
  expect(await ready(url)).toEqual({ status: 200, body: { ready: true, reasons: [] } });
  const sending = shell.run([...send, "job 1."]);
  await shell.isAtWork("job 1");

  disk.fill();
  shell.release("job 1");
  const printed = JSON.parse((await sending).stdout);
  expect(printed.error).toMatchObject({
    code: expect.stringMatching(/^store-(io|full)$/),
    message: expect.stringMatching(/^Turn \S+ cannot be recorded\. /),
    hint: expect.stringMatching(/agent was started, and its answer stays in .*turns/),
  });
  await until(async () => (await ready(url)).status === 503);
  const { body } = await ready(url);
  expect(body).toMatchObject({ ready: false });
  expect(JSON.stringify(body)).not.toContain(shell.root);
  expect((await shell.run(["status"])).stdout).toMatch(/not ready: The disk/);
  const client = await shell.client();
  expect((await client.doctor()).findings).toContainEqual(
    expect.objectContaining({ subject: "room", state: "problem" }),
  );
  const health = await fetch(`${url}/v1/health`);
  expect(await health.json()).toMatchObject({ status: "ok" });

  disk.free();
  await until(async () => (await client.sessions.show("k")).recent[0]?.status === "done");
  expect(shell.ledger("model")).toHaveLength(1);
  await until(async () => (await ready(url)).status === 200);
});

test("V5: cancel ends the agent although nothing can be recorded, and is recorded when there is room", async (context) => {
  const shell = ServedShell.open();
  await shell.createAgent();
  shell.hold();
  const { child, url } = await shell.up();
  const disk = fileSizeLimit(child.pid!, context);
  const sending = shell.run([...send, "job 1."]);
  await shell.isAtWork("job 1");
  const client = await shell.client();
  const [turn] = (await client.sessions.show("k")).recent;

  disk.fill();
  const cancelled = await shell.run(["cancel", "k", "--json"]);
  expect(cancelled.code).toBe(1);
  expect(JSON.parse(cancelled.stdout).error.message).toMatch(
    /^The processes of turn \S+ were ended, but the cancellation cannot be recorded\. /,
  );
  expect((await sending).code).toBe(1);
  expect(await ready(url)).toMatchObject({ status: 503 });

  disk.free();
  await until(async () => (await client.turns.why(turn!.id)).turn.status === "cancelled");
  expect(shell.ledger("start")).toHaveLength(1);
});

test("V5: a server that cannot record stops at once, and the next one takes the answer", async (context) => {
  const shell = ServedShell.open();
  await shell.createAgent();
  shell.hold();
  const { child } = await shell.up();
  const disk = fileSizeLimit(child.pid!, context);
  const sending = shell.run([...send, "job 1."]);
  await shell.isAtWork("job 1");
  disk.fill();
  shell.release("job 1");
  await sending;
  expect(await shell.run(["down"])).toMatchObject({ code: 0 });
  expect(shell.record()).toBeNull();

  await shell.up();
  const client = await shell.client();
  await until(async () => (await client.sessions.show("k")).recent[0]?.status === "done");
  expect(shell.ledger("model")).toHaveLength(1);
});

test("V5: a run whose server cannot record fails nowhere, and continues when there is room", async (context) => {
  const shell = ServedShell.open();
  await shell.createAgent();
  shell.hold();
  const { child, url } = await shell.up();
  const disk = fileSizeLimit(child.pid!, context);
  const client = await shell.client();
  const running = client.runs.start({ source: workflow, folder: shell.folder });
  const outcome = running.then(String, (error: Error) => error.message);
  await shell.isAtWork("job 2");
  disk.fill();
  shell.release("job 2");
  await until(async () => JSON.stringify(await ready(url)).includes("could not be recorded"));
  expect(await client.runs.list()).toMatchObject([{ status: "running" }]);

  disk.free();
  expect(await outcome).toMatch(/^Run \S+ cannot be recorded\. The d/);
  await until(async () => (await client.runs.list())[0]?.status === "done");
  expect(shell.ledger("model")).toHaveLength(1);
});

test("V5: a run is cancelled on a full disk: its agent is ended at once, and it is recorded later", async (context) => {
  const shell = ServedShell.open();
  await shell.createAgent();
  shell.hold();
  const { child } = await shell.up();
  const disk = fileSizeLimit(child.pid!, context);
  const client = await shell.client();
  const running = client.runs.start({ source: workflow, folder: shell.folder, id: "r" });
  running.catch(() => {});
  await shell.isAtWork("job 2");
  disk.fill();
  const cancelled = client.runs.cancel({ run: "r", by: "ann" });
  await expect(cancelled).rejects.toThrow(
    /^The processes of run r were ended, but the cancellation/,
  );
  const [turn] = shell.ledger("start").map((line) => String(line.turn));
  expect(markedRows(turn!)).toEqual([]);

  disk.free();
  await until(async () => (await client.runs.list())[0]?.status === "cancelled");
  const { executions } = await client.runs.show("r");
  expect(executions.map(({ node }) => node)).not.toContain("note");
});

test("S6: on a small file system the answer of a running agent is not lost when the disk fills up", async (context) => {
  const shell = ServedShell.open();
  mkdirSync(shell.home);
  try {
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", shell.home], {
      stdio: "pipe",
    });
  } catch {
    context.skip("this user may not mount a file system");
  }
  const filler = join(shell.home, "filler");
  try {
    await shell.createAgent();
    shell.hold();
    const { url } = await shell.up();
    const sending = shell.run([...send, "job 1."]);
    await shell.isAtWork("job 1");
    // The spool keeps a block for the answer; the database has none left.
    for (let size = 64 * 1024; size >= 4096; size /= 2)
      while (statfsSync(shell.home).bavail * 4096 > size + 16 * 4096)
        writeFileSync(filler, Buffer.alloc(size), { flag: "a" });
    shell.release("job 1");
    const ended = await sending;
    const isReported = ended.code === 0 || /cannot be recorded/.test(ended.stdout);
    expect([isReported, ended.stdout]).toEqual([true, ended.stdout]);
    rmSync(filler);
    const client = await shell.client();
    await until(async () => (await client.sessions.show("k")).recent[0]?.status === "done");
    expect(shell.ledger("model")).toHaveLength(1);
    await until(async () => (await ready(url)).status === 200);
    await shell.run(["down"]);
  } finally {
    execFileSync("/bin/umount", ["--lazy", shell.home]);
  }
});
