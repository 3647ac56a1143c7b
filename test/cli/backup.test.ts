/** A backup made while agents work, and the homes restored from it. */

import {
  appendFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openReprise } from "@reprise/engine/open-reprise";
import { latestSchema } from "@reprise/store/sqlite/migrations/migrations";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inherited } from "../environment.ts";
import { appears } from "../until.ts";
import { contentOf } from "./content.ts";
import { copyOf, prepareHome } from "./prepared-home.ts";
import { expectRefusal } from "./refusal.ts";
import { TestShell } from "./shell.ts";

const recall = "what did I ask you to remember?";

test("a backup made during turns and restored elsewhere: the sessions continue where they were", async () => {
  await using shell = new TestShell();
  // Without a home of their own, the agents keep their files in the home of Reprise.
  shell.rules({
    when: { prompt: "long work" },
    do: ["model", { touch: "reached" }, { "wait-for": "go" }],
  });
  const create = ["agent", "create", "coder", "--provider", "scripted"];
  await shell.run([...create, "--set", `script=${shell.script}`]);
  const send = (key: string, prompt: string) =>
    shell.start(["sessions", "send", key, prompt, "--agent", "coder"]);
  expect(await send("known", "remember APPLE-739").ended).toMatchObject({ code: 0 });
  expect(await send("busy", "remember PEAR-12").ended).toMatchObject({ code: 0 });
  const working = send("busy", "some long work");
  await appears(join(shell.root, "reached"));

  const file = join(shell.root, "home.backup");
  const made = await shell.run(["backup", file, "--json"]);
  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(made.stdout)).toMatchObject({ file, sessions: 2, turns: 3 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(shell.root).filter((name) => name.includes("backup"))).toEqual([
    "home.backup",
  ]);

  // The home is used further after the backup, and then it is deleted.
  writeFileSync(join(shell.root, "go"), "");
  expect(await working.ended).toMatchObject({ code: 0 });
  rmSync(shell.home, { recursive: true });

  const home = join(shell.root, "another");
  const restored = await shell.run(["restore", file, "--home", home]);
  expect(restored.stdout).toMatch(
    /^Restored 2 sessions with 3 turns, as of 20.*Z, into .*another\.\n$/,
  );
  expect(restored.stderr).toContain(
    "1 turn was open in the backup: marked interrupted, not run again.",
  );
  expect(restored.code).toBe(0);

  const reprise = await openReprise({ home, cwd: shell.folder, env: inherited });
  for (const [key, answer] of [
    ["known", "APPLE-739"],
    ["busy", "PEAR-12"],
  ] as const)
    expect(await reprise.sessions.send({ key, prompt: recall })).toMatchObject({
      turn: { status: "done" },
      decision: { outcome: "resume", prepare: ["restore"] },
      output: answer,
    });
  const { recent } = await reprise.sessions.show("busy");
  expect(recent).toMatchObject([{ status: "done" }, { status: "interrupted" }, { status: "done" }]);
  expect(await reprise.sessions.verify("busy")).toMatchObject([{ sound: true }]);
  await reprise.close();
});

describe("a home and its backup", () => {
  let prepared: TestShell;
  let file: string;
  beforeAll(async () => {
    prepared = await prepareHome();
    file = join(prepared.root, "known.backup");
    expect(await prepared.run(["backup", file])).toMatchObject({ code: 0 });
  });
  afterAll(() => prepared[Symbol.asyncDispose]());

  function changedCopy(shell: TestShell, change: (path: string) => void): string {
    const copy = join(shell.root, "changed.backup");
    writeFileSync(copy, readFileSync(file), { mode: 0o600 });
    change(copy);
    return copy;
  }

  /** Another header, as a newer version would write it. */
  function withHeader(shell: TestShell, changes: object): string {
    return changedCopy(shell, (path) => {
      const bytes = readFileSync(path);
      const end = bytes.indexOf("\n");
      const header = { ...JSON.parse(bytes.toString("utf8", 0, end)), ...changes };
      writeFileSync(path, `${JSON.stringify(header)}\n`);
      appendFileSync(path, bytes.subarray(end + 1));
    });
  }

  test("a home with sessions is replaced only by force, and kept aside", async () => {
    await using shell = copyOf(prepared);
    const later = await shell.run(["sessions", "send", "later", "echo later", "--agent", "coder"]);
    expect(later).toMatchObject({ code: 0 });
    await expectRefusal(shell, ["restore", file], {
      code: 2,
      error: "home-in-use",
      says: `The home ${shell.home} has sessions, which the backup would replace.`,
    });

    // Another process has the home open, and sees the new content at once.
    using open = new DatabaseSync(join(shell.home, "reprise.db"));
    const keys = () =>
      open
        .prepare("SELECT key FROM session")
        .all()
        .map(({ key }) => key);
    expect(keys()).toEqual(["known", "later"]);
    const forced = await shell.run(["restore", file, "--force", "--json"]);
    expect(forced).toMatchObject({ code: 0, stderr: "" });
    expect(keys()).toEqual(["known"]);
    const { keptAside } = JSON.parse(forced.stdout);
    using before = new DatabaseSync(join(keptAside, "reprise.db"), { readOnly: true });
    expect(before.prepare("SELECT key FROM session").all()).toHaveLength(2);
    expect(statSync(join(keptAside, "reprise.db")).mode & 0o777).toBe(0o600);
    expect((await shell.run(["sessions", "send", "known", recall])).stdout).toBe("APPLE-739\n");
  });

  test("a damaged database is replaced by force, and kept aside", async () => {
    await using shell = copyOf(prepared);
    const database = join(shell.home, "reprise.db");
    writeFileSync(database, "garbage ".repeat(1000));
    await expectRefusal(shell, ["restore", file], {
      code: 2,
      error: "home-in-use",
      says: /has a database that cannot be read/,
    });
    const forced = await shell.run(["restore", file, "--force", "--json"]);
    const { keptAside } = JSON.parse(forced.stdout);
    expect(readFileSync(join(keptAside, "reprise.db"), "utf8")).toContain("garbage");
    expect((await shell.run(["sessions", "send", "known", recall])).stdout).toBe("APPLE-739\n");
    expect(statSync(database).mode & 0o777).toBe(0o600);
  });

  test("while an agent is at work nothing is replaced", async () => {
    await using shell = new TestShell();
    await shell.createAgent();
    shell.rules({ do: ["model", { touch: "reached" }, { "wait-for": "go" }] });
    const working = shell.start(["sessions", "send", "busy", "echo hi", "--agent", "coder"]);
    await appears(join(shell.root, "reached"));
    const refused = await shell.run(["restore", file, "--force"]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^reprise: An agent is running in turn \w+ of session busy\./),
    });
    writeFileSync(join(shell.root, "go"), "");
    expect(await working.ended).toMatchObject({ code: 0, stdout: "hi\n" });
  });

  test("a backup never overwrites a file", async () => {
    await using shell = copyOf(prepared);
    const there = shell.newFile("there", "precious");
    await expectRefusal(shell, ["backup", there], {
      code: 2,
      error: "file-exists",
      says: `${there} already exists.`,
    });
    expect(readFileSync(there, "utf8")).toBe("precious");
    await expectRefusal(shell, ["backup", join(shell.root, "no", "such", "folder")], {
      code: 4,
      error: "no-file",
      says: /such does not exist/,
    });
  });

  test.each<[string, (shell: TestShell) => string, number, string, RegExp]>([
    ["is not there", ({ root }) => join(root, "no"), 4, "no-file", /does not exist/],
    [
      "is something else",
      (s) => s.newFile("x", "hello\n"),
      2,
      "no-backup",
      /is not a Reprise backup/,
    ],
    ["is empty", (s) => s.newFile("x", ""), 2, "no-backup", /is not a Reprise backup/],
    ["is a folder", ({ folder }) => folder, 2, "file-is-folder", /is a folder/],
    [
      "was cut off",
      (s) => changedCopy(s, (path) => truncateSync(path, statSync(path).size - 100)),
      1,
      "backup-damaged",
      /does not match its checksum/,
    ],
    [
      "has other content than it says",
      (s) => withHeader(s, { sha256: "0".repeat(64) }),
      1,
      "backup-damaged",
      /does not match its checksum/,
    ],
    [
      "is of a newer format",
      (s) => withHeader(s, { version: 99 }),
      1,
      "backup-newer",
      /has format version 99; this version of Reprise reads up to 1/,
    ],
    [
      "is of a newer schema",
      (s) => withHeader(s, { schema: 999 }),
      1,
      "backup-newer",
      new RegExp(`has schema version 999; this version of Reprise reads up to ${latestSchema}`),
    ],
  ])("a file that %s", async (_, make, code, error, says) => {
    await using shell = copyOf(prepared);
    const wrong = make(shell);
    const before = contentOf(shell.home);
    await expectRefusal(shell, ["restore", wrong, "--force"], { code, error, says });
    expect(contentOf(shell.home)).toEqual(before);
  });

  test("a file that may not be read", async () => {
    const identity = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
    await using shell = copyOf(prepared, identity);
    const closed = changedCopy(shell, (path) => chmodSync(path, 0o000));
    await expectRefusal(shell, ["restore", closed, "--force"], {
      code: 5,
      error: "file-denied",
      says: /cannot be opened \(EACCES\)/,
    });
  });
});
