/** A `send` that waits says for what, also when it goes through a server. */

import { execFile, spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Reprise } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { appears, until } from "../until.ts";

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
const call = promisify(execFile);

let folder: string;
let reprise: Reprise;
let env: Record<string, string>;

beforeEach(async () => {
  folder = temporaryFolder("waiting");
  const rules = [
    {
      when: { prompt: "held" },
      do: [{ touch: "working" }, "model", { "wait-for": "released" }, { say: "first" }],
    },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  env = {
    ...(process.env as Record<string, string>),
    REPRISE_HOME: join(folder, "home"),
    REPRISE_MAX_AGENTS: "1",
    XDG_CONFIG_HOME: join(folder, "config"),
  };
  reprise = await openReprise({ home: env.REPRISE_HOME!, cwd: folder, env });
  const settings = { script: join(folder, "script.json"), home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  await call(process.execPath, [program, "up", "--detach", "--port", "0"], { cwd: folder, env });
});

afterEach(async () => {
  release();
  await call(process.execPath, [program, "down"], { cwd: folder, env });
  await reprise.close();
  rmSync(folder, { recursive: true });
});

const release = () => writeFileSync(join(folder, "released"), "");

/** A turn of this process, whose agent works until it is released. */
async function hold() {
  let id = "";
  const running = reprise.sessions.send(
    { key: "k1", agent: "coder", prompt: "held" },
    { onOpened: (turn) => (id = turn) },
  );
  await appears(join(folder, "working"));
  return { id, running };
}

/** `reprise send` through the server, until it says the words; then the first turn ends. */
async function sendBehind(key: string, words: RegExp) {
  const child = spawn(
    process.execPath,
    [program, "sessions", "send", key, "echo second", "--agent", "coder"],
    { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] },
  );
  const output = text(child.stdout);
  let said = "";
  child.stderr.on("data", (data) => (said += data));
  const code = new Promise((resolve) => child.once("exit", resolve));
  await until(() => words.test(said));
  release();
  expect([await code, await output]).toEqual([0, "second\n"]);
}

test("S0g: a send through a server names the turn ahead of it, its owner, and since when", async () => {
  const { id, running } = await hold();
  const holder = `behind turn ${id.slice(0, 8)} of process ${process.pid} on ${hostname()} since \\d{4}-`;
  await sendBehind("k1", new RegExp(holder));
  expect(await running).toMatchObject({ output: "first" });
});

test("V18: a send through a server says that it waits for a free agent", async () => {
  const { running } = await hold();
  await sendBehind("k2", /waiting for a free agent \(maxAgents 1\)/);
  expect(await running).toMatchObject({ output: "first" });
});
