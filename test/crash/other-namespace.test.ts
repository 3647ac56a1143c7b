/** A container that is created again, simulated by a real pid namespace and another host name. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openEngine } from "@reprise/engine/open-reprise";
import { expect, type TestContext, test, vi } from "vitest";
import { TestShell } from "../cli/shell.ts";
import { inherited } from "../environment.ts";
import { until } from "../until.ts";

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
const unshare = "/usr/bin/unshare";
const flags = ["--pid", "--uts", "--fork", "--mount-proc"];

/** Sends a turn, kills Reprise while the agent works; the agent answers before the container ends, or dies with it. */
const inside = `
hostname old-container
"$NODE" "$PROGRAM" sessions send k "job." --agent coder &
while [ ! -e "$ROOT/reached" ]; do sleep 0.05; done
kill -9 $!
if [ "$ENDS" = yes ]; then
  touch "$ROOT/go"
  until cat "$REPRISE_HOME"/turns/*/1/exit 2>/dev/null; do sleep 0.05; done
fi
exit 0
`;

async function container(
  shell: TestShell,
  ends: "yes" | "no",
  context: TestContext,
): Promise<void> {
  try {
    execFileSync(unshare, [...flags, "hostname", "try-out"], { stdio: "pipe" });
  } catch {
    context.skip("this user may not make a pid namespace");
  }
  await shell.createAgent();
  const reached = { touch: join(shell.root, "reached") };
  const release = { "wait-for": join(shell.root, "go") };
  shell.rules({ when: { prompt: "job." }, do: ["model", reached, release, { say: "answered" }] });
  const child = spawn(unshare, [...flags, "/bin/sh", "-c", inside], {
    cwd: shell.folder,
    env: {
      ...inherited,
      HOME: join(shell.root, "user"),
      REPRISE_HOME: shell.home,
      NODE: process.execPath,
      PROGRAM: program,
      ROOT: shell.root,
      ENDS: ends,
    },
    stdio: "ignore",
  });
  const [code] = await once(child, "exit");
  expect([code, existsSync(join(shell.root, "reached"))]).toEqual([0, true]);
}

test("S5: the answer of an agent that ended in a container is taken after 15 s of silence", async (context) => {
  await using shell = new TestShell();
  await container(shell, "yes", context);
  let later = 0;
  const { reprise, engine } = await openEngine({
    home: shell.home,
    cwd: shell.folder,
    now: () => Date.now() + later,
  });
  const [left] = await engine.store.listOpenTurns({ limit: 99 });
  expect(left).toMatchObject({ status: "running", owner: { host: "old-container" } });
  const waiting = vi.fn();
  const sending = reprise.sessions.send({ key: "k", prompt: "next" }, { onProgress: waiting });
  await until(() => waiting.mock.calls.length > 0);
  later = 20_000;
  expect(await sending).toMatchObject({
    turn: { status: "done" },
    decision: { outcome: "resume" },
  });
  expect(await engine.store.readTurn(left!.id)).toMatchObject({
    status: "done",
    output: "answered",
  });
  expect(shell.ledger("model")).toHaveLength(2);
  await reprise.close();
});

test("S5: an agent that died with its container keeps the key until a person says so", async (context) => {
  await using shell = new TestShell();
  await container(shell, "no", context);
  writeFileSync(join(shell.root, "go"), "");
  const busy = await shell.run(["sessions", "send", "k", "next", "--busy", "fail"]);
  expect(busy.stderr).toMatch(/in use by turn \w+ of process \d+ on old-container since \d{4}-/);
  const gone = await shell.run(["cancel", "k", "--owner-gone", "--by", "ann", "--json"]);
  expect(JSON.parse(gone.stdout)).toMatchObject({
    turn: { status: "interrupted" },
    error: { code: "owner-gone" },
  });
  const next = await shell.run(["sessions", "send", "k", "next"]);
  expect(next).toMatchObject({ code: 0 });
});
