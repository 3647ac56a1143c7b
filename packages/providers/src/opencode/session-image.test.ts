import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { readOnce } from "../files.ts";
import { opencode } from "./provider.ts";
import { newName, ownName, sharedName } from "./session-database.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const id = "ses_e0a354431ffeq84EnUmS6SoQv8";
const other = "ses_e0a354431ffeq84EnUmS6SoQv9";
const child = "ses_e0a354400ffeq84EnUmS6SoQv7";

let place: string;
beforeEach(() => {
  place = temporaryFolder("opencode-image");
  mkdirSync(join(place, "reprise"));
});
afterEach(() => rmSync(place, { recursive: true }));

/** The tables of opencode 1.18 that matter here, with the columns that are read. */
const schema = `
  CREATE TABLE migration (id TEXT PRIMARY KEY, time_completed INTEGER NOT NULL);
  CREATE TABLE credential (id TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL);
  CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES project (id), parent_id TEXT,
    directory TEXT NOT NULL, path TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER,
    time_archived INTEGER);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES session (id), time_created INTEGER, data TEXT NOT NULL);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, data TEXT NOT NULL);
  CREATE TABLE session_share (session_id TEXT PRIMARY KEY, secret TEXT NOT NULL);
  CREATE INDEX part_session ON part (session_id);`;

class Writer implements Disposable {
  readonly database: DatabaseSync;
  #count = 0;

  constructor(name: string) {
    this.database = new DatabaseSync(join(place, name));
    this.database.exec(`PRAGMA journal_mode = WAL; ${schema}`);
    this.run("INSERT INTO project VALUES ('global', '/'), ('another', '/other')");
    this.run("INSERT INTO credential VALUES ('c', 'SECRET')");
  }

  [Symbol.dispose](): void {
    this.database.close();
  }

  run(sql: string, ...values: string[]): void {
    this.database.prepare(sql).run(...values);
  }

  session(session = id, parent: string | null = null): void {
    this.database
      .prepare("INSERT INTO session VALUES (?, 'global', ?, '/work', 'work', NULL, 1, 2, NULL)")
      .run(session, parent);
    this.run("INSERT INTO session_share VALUES (?, 'SECRET')", session);
  }

  message(message: object, parts: object[], session = id): string {
    this.#count += 1;
    const name = `msg_${String(this.#count).padStart(4, "0")}`;
    this.database
      .prepare("INSERT INTO message VALUES (?, ?, ?, ?)")
      .run(name, session, this.#count, JSON.stringify(message));
    for (const [index, part] of parts.entries())
      this.run(
        "INSERT INTO part VALUES (?, ?, ?, ?)",
        `prt_${name}_${index}`,
        name,
        session,
        JSON.stringify(part),
      );
    return name;
  }

  turn(prompt: string, answer: string, session = id): void {
    this.message({ role: "user" }, [{ type: "text", text: prompt }], session);
    this.message({ role: "assistant", finish: "stop" }, [{ type: "text", text: answer }], session);
  }
}

/** Where the first page of a table is. */
function rootOf(table: string): number {
  using database = new DatabaseSync(join(place, ownName(id)), { readOnly: true });
  const sql = "SELECT rootpage FROM sqlite_master WHERE name = ?";
  return (Number(database.prepare(sql).get(table)?.rootpage) - 1) * 4096;
}

const observe = () => opencode.observe({ id, place }, hash);
async function words(): Promise<string[]> {
  const found = await observe();
  if (typeof found === "string") return [found];
  return found.items.map(({ role, text }) => `${role}: ${text}`);
}

describe("the history of a session", () => {
  test("is read from the write-ahead log too, while opencode writes", async () => {
    using writer = new Writer(ownName(id));
    writer.session();
    writer.turn("one", "ONE");
    expect(readFileSync(join(place, `${ownName(id)}-wal`)).length).toBeGreaterThan(0);
    writer.database.exec("BEGIN IMMEDIATE");
    writer.turn("two", "TWO");
    expect(await words()).toEqual(["user: one", "assistant: ONE"]);
    writer.database.exec("COMMIT");
    expect(await words()).toHaveLength(4);
  });

  test("is the same state for one source, whatever is written in between", async () => {
    using writer = new Writer(ownName(id));
    writer.session();
    writer.turn("one", "ONE");
    const source = readOnce();
    const before = await opencode.observe({ id, place }, hash, source);
    writer.turn("two", "TWO");
    const [file] = await opencode.copyOut({ id, place }, source);
    await opencode.copyIn({ id, place: join(place, "copy") }, [file!], join(place, "aside"));
    const copied = await opencode.observe({ id, place: join(place, "copy") }, hash);
    expect(copied).toEqual(before);
  });

  test("tool calls come before their results, and a call that was cut off stays in front", async () => {
    using writer = new Writer(ownName(id));
    writer.session();
    writer.message({ role: "user" }, [{ type: "text", text: "run" }]);
    const call = (callID: string, state: object) => ({ type: "tool", tool: "bash", callID, state });
    const running = { status: "running", input: { command: "x" } };
    const message = writer.message({ role: "assistant" }, [
      { type: "step-start" },
      { type: "reasoning", text: "Hm." },
      call("1", running),
      call("2", running),
    ]);
    const before = await words();
    expect(before).toEqual([
      "user: run",
      'tool: ["call","1","bash",{"command":"x"}]',
      'tool: ["call","2","bash",{"command":"x"}]',
    ]);
    const ended = JSON.stringify(call("1", { ...running, status: "error", error: "interrupted" }));
    writer.run("UPDATE part SET data = ? WHERE id = ?", ended, `prt_${message}_2`);
    writer.turn("on", "ON");
    const after = await words();
    expect(after.slice(0, 3)).toEqual(before);
    expect(after[3]).toBe('tool: ["result","1","interrupted"]');
  });

  test("begins with the last summary, and ends where a person went back", async () => {
    using writer = new Writer(ownName(id));
    writer.session();
    writer.turn("one", "ONE");
    writer.message({ role: "user" }, [{ type: "compaction" }]);
    const summary = { role: "assistant", summary: true, finish: "stop" };
    writer.message(summary, [{ type: "text", text: "SUM" }]);
    writer.turn("two", "TWO");
    expect(await words()).toEqual(["summary: SUM", "user: two", "assistant: TWO"]);
    expect(await observe()).toMatchObject({ compacted: true });
    const messageID = writer.message({ role: "user" }, [{ type: "text", text: "three" }]);
    writer.run("UPDATE session SET revert = ?", JSON.stringify({ messageID }));
    expect(await words()).toHaveLength(3);
  });

  test("a database that is cut, is none, or lacks a table is unreadable; without one it is missing", async () => {
    expect(await words()).toEqual(["missing"]);
    const file = join(place, ownName(id));
    {
      using writer = new Writer(ownName(id));
      writer.session();
      for (let turn = 1; turn <= 50; turn += 1) writer.turn("x".repeat(1000), "y".repeat(1000));
    }
    const whole = readFileSync(file);
    truncateSync(file, whole.length / 2);
    expect(await words()).toEqual(["unreadable"]);
    expect(await opencode.copyOut({ id, place })).toEqual([]);
    // Nothing of the session is on this page, but opencode would stumble over it.
    writeFileSync(file, whole);
    const page = rootOf("credential");
    writeFileSync(file, whole.fill(255, page, page + 4096));
    expect(await words()).toEqual(["unreadable"]);
    writeFileSync(file, "x".repeat(5000));
    expect(await words()).toEqual(["unreadable"]);
    rmSync(file);
    new DatabaseSync(file).exec("CREATE TABLE session (id TEXT)");
    expect(await words()).toEqual(["unreadable"]);
    rmSync(file);
    mkdirSync(file);
    await expect(observe()).rejects.toMatchObject({ code: "history-unread" });
  });
});

test("reading leaves no file behind", async () => {
  {
    using writer = new Writer(ownName(id));
    writer.session();
    writer.turn("one", "ONE");
  }
  const agent = { name: "coder", settings: { home: place }, privateFolder: place, env: {} };
  const data = await opencode.place(agent, "/work");
  const handle = { id, place: data };
  await opencode.copyIn(handle, await opencode.copyOut({ id, place }), join(place, "aside"));
  expect(await opencode.observe(handle, hash)).toMatchObject({ items: [{}, {}] });
  expect(await opencode.sessions?.(agent, { folder: null, limit: 9 })).toMatchObject([{ id }]);
  for (const folder of [place, data])
    expect(readdirSync(join(folder, "reprise"))).toEqual([`${id}.db`]);
});

describe("a copy of a session", () => {
  test("has its subagents, and neither other sessions nor secrets", async () => {
    using writer = new Writer(sharedName);
    for (const session of [id, other]) writer.session(session);
    writer.session(child, id);
    for (const session of [id, other, child]) writer.turn("hello", `from ${session}`, session);
    const [file, ...more] = await opencode.copyOut({ id, place });
    expect([file?.name, more]).toEqual([ownName(id), []]);
    const text = Buffer.from(file!.bytes).toString("latin1");
    expect(text).toContain(`from ${id}`);
    expect(text).toContain(`from ${child}`);
    expect(text).not.toContain(other);
    expect(text).not.toContain("SECRET");
    expect(text).not.toContain("/other");

    // The one that is put back counts, and a copy of it is the same.
    await opencode.copyIn({ id, place }, [file!], join(place, "aside"));
    writer.turn("more", "of the person's own");
    expect(await words()).toEqual(["user: hello", `assistant: from ${id}`]);
    expect(await opencode.copyOut({ id, place })).toEqual([file]);
  });

  test("gets another folder", async () => {
    using writer = new Writer(ownName(id));
    writer.session();
    writer.turn("hello", "from /work");
    const files = await opencode.copyOut({ id, place });
    const moved = opencode.relocate!(files, { id, folder: "/work" }, { id, folder: "/elsewhere" });
    const target = join(place, "moved");
    await opencode.copyIn({ id, place: target }, moved, join(place, "aside"));
    using database = new DatabaseSync(join(target, ownName(id)), { readOnly: true });
    expect(database.prepare("SELECT directory, path FROM session").all()).toEqual([
      { __proto__: null, directory: "/elsewhere", path: "elsewhere" },
    ]);
    expect(await opencode.observe({ id, place: target }, hash)).toEqual(await observe());
  });

  test("is found where its first turn was killed, by the time of its id", async () => {
    const at = Date.UTC(2026, 10, 19, 21, 51, 6, 703);
    for (let number = 1; number <= 30; number += 1) {
      using writer = new Writer(newName(at + number * 60_000, number));
      writer.session(other);
    }
    using writer = new Writer(newName(at - 1000, 99));
    writer.session();
    writer.turn("hello", "here");
    expect(await words()).toEqual(["user: hello", "assistant: here"]);
  });
});
