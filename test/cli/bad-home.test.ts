/** A home that cannot be used, or not now: one clear sentence, the exit code, and nothing is changed. */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import { contentOf } from "./content.ts";
import { copyOf, prepareHome } from "./prepared-home.ts";
import { expectRefusal } from "./refusal.ts";
import { type Identity, TestShell } from "./shell.ts";

const limits = fileURLToPath(new URL("./sqlite-limits.ts", import.meta.url));
const send = (...rest: string[]) => ["sessions", "send", "known", ...rest];
/** A command that writes, and one that only reads. */
const commands = [send("hello"), ["sessions", "list"]];

/** Root may write everywhere, so root's tests run the commands as another user. */
const ordinary: Identity | undefined =
  process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;

let prepared: TestShell;
beforeAll(async () => {
  prepared = await prepareHome();
});
afterAll(() => prepared[Symbol.asyncDispose]());

function openDatabase({ home }: TestShell): DatabaseSync {
  return new DatabaseSync(join(home, "reprise.db"), { timeout: 1000 });
}

/** The answer that the session remembers: everything before the trouble is still there. */
async function expectMemory(shell: TestShell): Promise<void> {
  const recalled = await shell.run(send("what did I ask you to remember?"));
  expect(recalled).toMatchObject({ code: 0, stdout: "APPLE-739\n" });
}

describe.concurrent("permissions", () => {
  /** Proves that a write really fails for the user that runs the commands. */
  async function expectNotWritable(shell: TestShell, path: string): Promise<void> {
    const write = `require("node:fs").writeFileSync(process.argv[1], "", { flag: "a" })`;
    const { code, stderr } = await shell.startNode(["-e", write, path]).ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("EACCES") });
  }

  test("L2: a home that may not be written is read, and nothing is written to it", async () => {
    await using shell = copyOf(prepared, ordinary);
    chmodSync(shell.home, 0o500);
    await expectNotWritable(shell, join(shell.home, "file"));
    const says = `The home ${shell.home} cannot be written (EACCES). Choose another`;
    for (const argv of [send("hello"), ["session", "archive", "known"]])
      await expectRefusal(shell, argv, { code: 5, error: "home-not-writable", says });
    const before = contentOf(shell.home);
    expect(await shell.run(["session", "list"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^known /m),
    });
    expect(await shell.run(["session", "show", "known"])).toMatchObject({ code: 0 });
    expect(await shell.run(["doctor"])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("cannot be written"),
    });
    const file = join(shell.newFolder("kept"), "reprise.backup");
    expect(await shell.run(["backup", file])).toMatchObject({ code: 0 });
    expect(contentOf(shell.home)).toEqual(before);
    chmodSync(shell.home, 0o700);
  });

  test("a home that cannot be made", async () => {
    await using shell = new TestShell(ordinary);
    const closed = shell.newFolder("closed");
    chmodSync(closed, 0o500);
    await expectNotWritable(shell, join(closed, "file"));
    const home = join(closed, "below", "home");
    const refusal = {
      code: 5,
      error: "home-not-writable",
      says: `The home ${home} cannot be written`,
    };
    const create = ["agent", "create", "coder", "--provider", "scripted"];
    await expectRefusal(shell, [...create, "--home", home], refusal);
    expect(readdirSync(closed)).toEqual([]);
  });

  test("L2: a reading or changing command makes no home at a mistyped path", async () => {
    await using shell = new TestShell();
    const home = join(shell.root, "mistyped");
    for (const argv of [["session", "list"], ["doctor"], ["status"], ["session", "archive", "k"]])
      await expectRefusal(shell, [...argv, "--home", home], {
        code: 4,
        error: "no-home",
        says: `There is no Reprise home at ${home}. Check --home`,
      });
    expect(existsSync(home)).toBe(false);
  });

  test.each([
    ["/proc/home", { code: 5, error: "home-not-writable", says: "cannot be written" }],
    ["/dev/null/home", { code: 2, error: "home-not-a-folder", says: "/dev/null is not a folder" }],
    ["/dev/null", { code: 2, error: "home-not-a-folder", says: "it is not a folder" }],
  ])("%s cannot be a home", async (home, refusal) => {
    await using shell = new TestShell();
    const create = ["agent", "create", "coder", "--provider", "scripted"];
    await expectRefusal(shell, [...create, "--home", home], refusal);
  });

  test("a database that may not be written", async () => {
    await using shell = copyOf(prepared, ordinary);
    const file = join(shell.home, "reprise.db");
    chmodSync(file, 0o400);
    await expectNotWritable(shell, file);
    await expectRefusal(shell, send("hello"), {
      code: 5,
      error: "store-not-writable",
      says: /The database .* cannot be opened for writing .* Give this user write access/,
    });
  });

  test("a work folder that may not be read", async () => {
    await using shell = copyOf(prepared, ordinary);
    const folder = shell.newFolder("closed");
    chmodSync(folder, 0o000);
    await expectNotWritable(shell, join(folder, "file"));
    const says = `The folder ${folder} cannot be read. Give yourself read permission`;
    const refusal = { code: 5, error: "folder-unreadable", says };
    await expectRefusal(shell, send("hello", "--folder", folder), refusal);
    const create = ["agent", "create", "other", "--provider", "scripted", "--folder", folder];
    await expectRefusal(shell, create, refusal);
    chmodSync(folder, 0o700);
  });
});

describe.concurrent("the disk is full", () => {
  const full = {
    code: 1,
    error: "store-full",
    says: /can ?not (grow|be written): the disk.*full .* Free some disk space and try again/,
  };

  test("the page limit of SQLite is reached: nothing is written, and nothing was launched", async () => {
    await using shell = copyOf(prepared);
    const prompt = shell.newFile("prompt.md", "much to say\n".repeat(100_000));
    await expectRefusal(shell, send("--file", prompt), full, {
      node: ["--import", limits],
      env: { LIMIT_PAGES: "1" },
    });
    await expectMemory(shell);
  });

  test("it fills up while the agent works: its answer is taken once there is room", async () => {
    await using shell = new TestShell();
    await shell.createAgent();
    const answer = "a long answer ".repeat(50_000);
    shell.rules({ when: { prompt: "tell me all" }, do: [{ say: answer }] });
    using database = openDatabase(shell);
    const pages = Number(Object.values(database.prepare("PRAGMA page_count").get()!)[0]);

    const limited = { node: ["--import", limits], env: { LIMIT_PAGES: String(pages + 50) } };
    const ended = await shell.run([...send("tell me all", "--agent", "coder"), "--json"], limited);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^reprise: [^\n]+\n$/) });
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: "store-full" } });

    const why = await shell.run(["why", "known", "--json"]);
    expect(JSON.parse(why.stdout)).toMatchObject({ turn: { status: "done" }, output: answer });
    const sent = shell
      .ledger("model")
      .filter(({ prompt }) => String(prompt).includes("tell me all"));
    expect(sent).toHaveLength(1);
  });

  test("a small file system is full", async (context) => {
    await using shell = new TestShell();
    using room = smallDisk(shell, context);
    await shell.createAgent();
    const first = await shell.run(send("remember APPLE-739", "--agent", "coder"));
    expect(first).toMatchObject({ code: 0 });

    room.fill();
    await expectRefusal(shell, send("hello"), full);
    await expectRefusal(shell, ["sessions", "list"], full);
    const home = join(shell.home, "another");
    const create = ["agent", "create", "coder", "--provider", "scripted"];
    const another = await shell.run([...create, "--home", home]);
    expect(another).toMatchObject({
      code: 1,
      stderr: `reprise: The home ${home} cannot be written: the disk is full (ENOSPC). Free some disk space and try again.\n`,
    });
    expect(readdirSync(home)).toEqual([]);

    room.free();
    await expectMemory(shell);
    expect(shell.ledger("start")).toHaveLength(2);
  });

  test("the database has room, the agent's spool has none: the turn fails and nothing is sent", async (context) => {
    await using shell = new TestShell();
    using room = smallDisk(shell, context);
    await shell.createAgent();
    const first = await shell.run(send("remember APPLE-739", "--agent", "coder"));
    expect(first).toMatchObject({ code: 0 });
    // A log that was written through and is still open is used again from its beginning.
    using database = openDatabase(shell);
    database.exec(
      "CREATE TABLE filler AS SELECT hex(randomblob(100000)) AS text; DROP TABLE filler",
    );
    database.exec("PRAGMA wal_checkpoint");

    room.fill();
    const ended = await shell.run([...send("hello"), "--json"]);
    expect(ended.stderr).toMatch(/^reprise: The spool .*ENOSPC.* Free some disk space [^\n]+\n$/);
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      turn: { status: "failed" },
      error: { code: "spool-failed" },
    });
    expect(shell.ledger("start")).toHaveLength(1);
    room.free();
    await expectMemory(shell);
  });

  interface Room extends Disposable {
    fill(): void;
    free(): void;
  }

  /** Mounts a file system of 1 MiB as the home. */
  function smallDisk({ home }: TestShell, context: TestContext): Room {
    mkdirSync(home);
    try {
      execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", home], {
        stdio: "pipe",
      });
    } catch {
      context.skip("this user may not mount a file system");
    }
    const filler = join(home, "filler");
    return {
      fill() {
        const file = openSync(filler, "w");
        while (statfsSync(home).bavail > 0) writeSync(file, Buffer.alloc(4096));
        closeSync(file);
      },
      free: () => rmSync(filler),
      [Symbol.dispose]: () => execFileSync("/bin/umount", ["--lazy", home]),
    };
  }
});

describe.concurrent("the database", () => {
  test("comes from a newer version", async () => {
    await using shell = copyOf(prepared);
    using database = openDatabase(shell);
    database.exec("PRAGMA user_version = 999");
    for (const argv of commands)
      await expectRefusal(shell, argv, {
        code: 1,
        error: "store-newer",
        says: /has schema version 999; this version of Reprise reads up to \d+\. Use the newer Reprise/,
      });
  });

  test("is locked by another process for longer than the time-out", async () => {
    await using shell = copyOf(prepared);
    using database = openDatabase(shell);
    database.exec("BEGIN IMMEDIATE");
    const refusal = {
      code: 1,
      error: "store-busy",
      says: /The database .* is locked by another process for longer than the time-out .* Try again/,
    };
    const soon = { node: ["--import", limits], env: { LIMIT_BUSY_TIMEOUT: "50" } };
    await expectRefusal(shell, send("hello"), refusal, soon);
    const reading = await shell.run(["sessions", "list"], soon);
    expect(reading).toMatchObject({ code: 0, stderr: "" });
    database.exec("ROLLBACK");
  });

  const corrupt = {
    code: 1,
    error: "store-corrupt",
    says: /The database .* is damaged or is not a database .* Restore a backup/,
  };

  test("begins with garbage", async () => {
    await using shell = copyOf(prepared);
    const file = join(shell.home, "reprise.db");
    overwrite(file, 0, Buffer.from("garbage garbage garbage"));
    for (const argv of commands) await expectRefusal(shell, argv, corrupt);
  });

  test("was cut off", async () => {
    await using shell = copyOf(prepared);
    const file = join(shell.home, "reprise.db");
    truncateSync(file, 5000);
    await expectRefusal(shell, send("hello"), corrupt);
  });

  test("has an overwritten page: said by every command that reads it, and by doctor", async () => {
    await using shell = copyOf(prepared);
    const file = join(shell.home, "reprise.db");
    const { rootpage, page_size: size } = withDatabase(shell, (database) => ({
      ...database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'turn'").get(),
      ...database.prepare("PRAGMA page_size").get(),
    }));
    overwrite(file, (Number(rootpage) - 1) * Number(size), Buffer.alloc(Number(size), 0x5a));

    for (const argv of [send("hello"), ["why", "known"]]) await expectRefusal(shell, argv, corrupt);
    const before = contentOf(shell.home);
    const doctor = await shell.run(["doctor", "--json"]);
    expect(doctor).toMatchObject({ code: 1 });
    expect(JSON.parse(doctor.stdout).findings).toContainEqual({
      subject: "database",
      state: "problem",
      text: expect.stringContaining("damaged"),
      hint: "Restore it from a backup.",
    });
    expect(contentOf(shell.home)).toEqual(before);
  });

  function withDatabase<Result>(
    shell: TestShell,
    work: (database: DatabaseSync) => Result,
  ): Result {
    using database = openDatabase(shell);
    return work(database);
  }

  function overwrite(path: string, position: number, bytes: Uint8Array): void {
    const file = openSync(path, "r+");
    writeSync(file, bytes, 0, bytes.length, position);
    closeSync(file);
  }
});
