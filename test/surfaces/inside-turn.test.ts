/** What only a person may do is refused to every process that was started in a turn. */

import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { InboxItemView } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
const library = fileURLToPath(new URL("../runs/caller.ts", import.meta.url));
const gated =
  "name: gated\nsteps:\n  ask: { gate: Continue? }\n  after: { needs: ask, shell: touch after.txt }\n";

let folder: string;
let item: string;

beforeEach(async () => {
  folder = temporaryFolder("inside");
  const reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
  item = (await reprise.runs.start({ source: gated, id: "r1" })).waitsFor[0] ?? "";
  await reprise.close();
});

afterEach(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Caller = (argv: readonly string[]) => {
  argv: readonly string[];
  env?: Record<string, string>;
};

/** How a process of an agent calls Reprise: as it was started, and with its own environment. */
const callers: Readonly<Record<string, Caller>> = {
  "a process of the turn": (argv) => ({ argv, env: { REPRISE_TURN: "turn-1" } }),
  "a process whose ancestor is of the turn": (argv) => {
    const kept = ["PATH", "HOME"].map((name) => `${name}=${process.env[name] ?? ""}`);
    const bare = ["env", "-i", ...kept, `REPRISE_HOME=${join(folder, "home")}`, ...argv];
    // The shell waits for it, and so stays its parent.
    return {
      argv: ["/bin/sh", "-c", '"$@"; exit $?', "sh", ...bare],
      env: { REPRISE_TURN: "turn-1" },
    };
  },
};

const person: Caller = (argv) => ({ argv });

function called(caller: Caller, ...args: readonly string[]): Promise<Ended> {
  const { argv, env } = caller([process.execPath, ...args]);
  const [file = "", ...rest] = argv;
  return new Promise((resolve) => {
    const options = {
      cwd: folder,
      env: { ...process.env, REPRISE_HOME: join(folder, "home"), ...env },
    };
    const child = execFile(file, rest, options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

async function open(): Promise<InboxItemView[]> {
  const reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
  const items = await reprise.inbox.list();
  await reprise.close();
  return items;
}

describe.each(Object.entries(callers))("V20: %s", (_, inside) => {
  async function refused(...command: readonly string[]): Promise<void> {
    const { code, stderr } = await called(inside, program, ...command);
    expect([command, code]).toEqual([command, 5]);
    expect(stderr).toMatch(/An agent may not .*: this process was started in turn turn-1\./);
    expect(await open()).toMatchObject([{ id: item, resolution: null }]);
  }

  test.each([["approve"], ["reject"], ["answer", "approve"]])(
    "may not %s",
    async (command, ...words) => {
      await refused(command, item, ...words);
    },
  );

  test.each([
    ["token", "create", "mine", "--role", "approver"],
    ["token", "list"],
    ["token", "revoke", "mine"],
    ["webhook", "add", "--incoming"],
    ["mcp", "--role", "approver"],
    ["protect", "off"],
    ["protect", "forget", "0f5b1c1e"],
    ["session", "restore", "0f5b1c1e", "--force"],
  ])("may not give itself what answers, or undo what protects: %s %s", async (...command) => {
    await refused(...command);
  });

  test("may not approve through a server", async () => {
    expect(await called(person, program, "up", "--detach", "--port", "0")).toMatchObject({
      code: 0,
    });
    await refused("approve", item);
    expect(await called(person, program, "down")).toMatchObject({ code: 0 });
  });

  test("may not answer through the library", async () => {
    const order = {
      home: join(folder, "home"),
      folder,
      call: "inbox.answer",
      input: { item, choice: "approve", by: "ann" },
    };
    const { stdout } = await called(inside, library, JSON.stringify(order));
    expect(JSON.parse(stdout)).toMatchObject({ code: "inside-turn" });
    expect(await open()).toMatchObject([{ id: item, resolution: null }]);
  });

  test("may not create a token through the library", async () => {
    const order = { home: join(folder, "home"), folder, call: "tokens.create" };
    const input = { name: "mine", role: "approver" };
    const { stdout } = await called(inside, library, JSON.stringify({ ...order, input }));
    expect(JSON.parse(stdout)).toMatchObject({ code: "inside-turn" });
  });

  test("may look at what waits", async () => {
    const { code, stdout } = await called(inside, program, "inbox", "--json");
    expect([code, JSON.parse(stdout)[0]]).toMatchObject([0, { id: item }]);
  });
});

test("V20: a shell node of a workflow may not approve the gate of another run", async () => {
  const source = `name: sly\nsteps:\n  sly: { shell: ${JSON.stringify([process.execPath, program, "approve", item].join(" "))} }\n`;
  const env = { ...(process.env as Record<string, string>), REPRISE_HOME: join(folder, "home") };
  const reprise = await openReprise({ home: join(folder, "home"), cwd: folder, env });
  const run = await reprise.runs.start({ source, id: "sly" });
  expect(run).toMatchObject({ status: "failed", error: { code: "exit-code" } });
  expect(await reprise.inbox.list()).toMatchObject([{ id: item, resolution: null }]);
  await reprise.close();
});

test("V20: a person may, from their own terminal", async () => {
  expect(await called(person, program, "approve", item)).toMatchObject({ code: 0 });
  expect(await open()).toEqual([]);
});
