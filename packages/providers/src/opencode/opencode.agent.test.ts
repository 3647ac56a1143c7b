/** Checks the provider's assumptions with the real opencode against a model server on loopback. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Handle } from "@reprise/core/session/pin";
import { describe, expect, test } from "vitest";
import { opencodeEnvironment } from "../../../../test/agents/opencode-home.ts";
import {
  type AgentTurn,
  end,
  failure,
  hash,
  realProvider,
} from "../../../../test/agents/real-provider.ts";
import { startChatServer } from "../models/openai-chat.ts";
import type { LaunchAccess } from "../provider.ts";
import { opencode } from "./provider.ts";
import { ownName, sharedName } from "./session-database.ts";

const real = realProvider(opencode, {
  startModelServer: () => startChatServer({ errorHeaders: { "retry-after-ms": "1" } }),
  env: opencodeEnvironment,
});
const { turn, conversation, history, sent } = real;

const databaseOf = ({ id, place }: Handle) => join(place, ownName(id));
const deniedTools = ({ events }: AgentTurn) =>
  events.flatMap((event) => (event.type === "denied" ? [event.tool] : []));
const usage = ({ events }: AgentTurn) => events.find((event) => event.type === "usage")!.usage;

describe("opencode", () => {
  test("a new session's id is captured, a resumed one has the same, and remembers", async () => {
    expect(real.found).toMatchObject({
      runtime: {
        product: "opencode",
        home: real.home,
        version: "1.18.33",
        abilities: ["resume", "model-on-resume"],
      },
      account: `key:${hash("a-secret-of-tests")}`,
    });
    const first = await turn("remember APPLE-739");
    expect(first).toMatchObject({ code: 0, answer: "I will remember APPLE-739." });
    expect(first.id).toMatch(opencode.manifest.idPattern);
    // A database of its own, in one file.
    expect(readdirSync(join(await real.place(), "reprise"))).toEqual([`${first.id}.db`]);

    // A $PWD of another folder is not believed.
    const stale = { PWD: real.folder };
    const second = await turn("what did I ask you to remember?", first.id, { env: stale });
    expect(second).toMatchObject({ code: 0, id: first.id, answer: "APPLE-739" });
    // Opencode does not ask for a title.
    expect(real.server.requests).toHaveLength(2);
    expect(usage(first)).toMatchObject({ cachedRead: 0 });
    expect(usage(second).cachedRead).toBeGreaterThan(0.9 * usage(first).uncached!);
    const other = await turn("what did I ask you to remember?");
    expect(other.answer).toBe("You did not ask me to remember anything.");
  });

  test("an unknown id is refused before anything is sent", async () => {
    const id = "ses_e0a354431ffeq84EnUmS6SoQv8";
    expect(failure(await turn("hello", id))).toMatchObject({ kind: "missing" });
    // By opencode itself, too: its database has other sessions only.
    const { id: other, place } = await conversation("hello");
    const database = new DatabaseSync(join(place, ownName(other)), {
      enableForeignKeyConstraints: false,
    });
    database.exec("UPDATE session SET id = 'ses_e0a354431ffeq84EnUmS6SoQv9'");
    database.close();
    expect(failure(await turn("hello", other))).toMatchObject({ kind: "missing" });
    expect(real.server.requests).toHaveLength(1);
  });

  test("the history before a turn is the beginning of the history after it", async () => {
    const handle = await conversation("echo one");
    let before = await history(handle);
    expect(before.items.map(({ role, text }) => [role, text])).toEqual([
      ["user", "echo one"],
      ["assistant", "one"],
    ]);
    const instructions = join(real.folder, "instructions.md");
    writeFileSync(instructions, "Speak slowly.");
    const turns: [string, Parameters<typeof turn>[2]][] = [
      ["run echo three", {}],
      ["echo four", { model: "loopback/other-model" }],
      ["echo five", { settings: { instructionFiles: instructions } }],
    ];
    for (const [prompt, options] of turns) {
      expect((await turn(prompt, handle.id, options)).code).toBe(0);
      const after = await history(handle);
      expect(end(after, before.items.length)).toEqual(end(before));
      expect(after.items.length).toBeGreaterThan(before.items.length);
      before = after;
    }
    expect(before.items.map(({ role }) => role).join(" ")).toBe(
      "user assistant user tool tool assistant user assistant user assistant",
    );
    const { body } = real.server.requests.at(-1)!;
    expect(JSON.stringify(body.messages[0])).toContain("Speak slowly.");
    expect(real.server.requests.at(-2)!.body.model).toBe("other-model");
  });

  test("a prompt arrives as text, whatever it begins with, and 1 MB of it whole", async () => {
    writeFileSync(join(real.work, "note.txt"), "INSIDE\n");
    const { id } = await turn("hello");
    const most = `${"x".repeat(1024 * 1024)}\necho done`;
    const prompts = ["/compact", "--help see @note.txt", most];
    for (const prompt of prompts) expect((await turn(prompt, id)).id).toBe(id);
    const said = sent().filter((_, index) => index % 2 === 0);
    expect(said.map(hash)).toEqual(["hello", ...prompts].map(hash));
    expect(JSON.stringify(real.server.requests.at(-1)!.body)).not.toContain("INSIDE");
  });

  test("a fork leaves its source alone, in a database of its own", async () => {
    const handle = await conversation("remember APPLE-739");
    const before = readFileSync(databaseOf(handle));
    const { child, ended } = real.launch({ resume: handle, fork: true, newId: null });
    child.stdin.end("what did I ask you to remember?");
    const { stdout } = await ended;
    const events = stdout.split("\n").flatMap((line) => opencode.reader().line(line));
    const id = events.find((event) => event.type === "session")!.id;
    expect(id).not.toBe(handle.id);
    expect(sent()).toHaveLength(3);
    expect(readFileSync(databaseOf(handle)).equals(before)).toBe(true);
    const fork = await history({ ...handle, id });
    expect(fork.items.map(({ text }) => text).slice(-2)).toEqual([
      "what did I ask you to remember?",
      "APPLE-739",
    ]);
  });

  test.each([
    [{ refuse: "unauthorized" }, { kind: "login" }],
    [{ refuse: "rate-limit" }, { kind: "transient", throttled: true }],
  ] as const)("%j is %j, and the session continues", async (answer, expected) => {
    const { id } = await turn("remember APPLE-739");
    let fails = true;
    real.server.answerWith(() => (fails ? answer : undefined));
    const failed = await turn("hello", id);
    expect(failed.id).toBe(id);
    expect(failure(failed)).toMatchObject(expected);
    expect(failed.answer).toBeUndefined();
    fails = false;
    expect((await turn("what did I ask you to remember?", id)).answer).toBe("APPLE-739");
  });
});

describe("access", () => {
  const write = (path: string) => ({ tool: "write", input: { filePath: path, content: "x" } });
  const shell = (command: string) => ({ tool: "bash", input: { command, description: "x" } });
  const read = (path: string) => ({ tool: "read", input: { filePath: path } });
  const made = (name: string) => existsSync(join(real.work, name));

  test("rules deny what opencode's own configuration allows, in a subagent too", async () => {
    const allow = { "*": "allow" };
    const agents = { build: { permission: allow }, general: { permission: allow } };
    const config = { permission: allow, agent: agents, default_agent: "build" };
    for (const folder of [real.work, join(real.home, ".config", "opencode")]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "opencode.json"), JSON.stringify(config));
    }
    const access = { level: "read", named: true } as const;
    const task = (subagent_type: string) => ({
      tool: "task",
      input: { description: "x", prompt: "sub", subagent_type },
    });
    real.server.answerWith(
      { calls: [shell("touch a"), write("b"), task("general"), task("reprise-helper")] },
      { calls: [shell("touch c"), write("d"), read("/etc/hostname")] },
      { text: "the subagent is done" },
      { text: "done" },
    );
    const seen = await turn("do it", null, { access });
    expect(seen.answer).toBe("done");
    expect(deniedTools(seen).toSorted()).toEqual(["bash", "task", "write"]);
    expect(readdirSync(real.work)).toEqual(["opencode.json"]);
  });

  test("edit writes in the work folder alone, and runs the named commands alone", async () => {
    const readable = join(real.folder, "readable");
    mkdirSync(readable);
    writeFileSync(join(readable, "note.txt"), "NOTE\n");
    mkdirSync(join(real.work, "hidden"));
    writeFileSync(join(real.work, "hidden", "secret"), "SECRET\n");
    const access: Partial<LaunchAccess> = {
      ...{ level: "edit", named: true, readable: [readable] },
      ...{ allowedCommands: [`touch "named.txt"`], hidden: [join(real.work, "hidden")] },
    };
    const allowed = [
      write("a"),
      write("sub/b"),
      read(join(readable, "note.txt")),
      shell(`touch "named.txt"`),
    ];
    const denied = [
      write(join(real.folder, "c")),
      write("sub/../../c"),
      write(join(readable, "c")),
      write("hidden/c"),
      read("hidden/secret"),
      shell(`touch "named.txt" more.txt`),
      shell(`touch "named.txt"; touch more.txt`),
      shell(`touch "named.txt" > more.txt`),
      shell("> more.txt"),
      shell(`[[ -v 'a[$(touch more.txt)]' ]]`),
    ];
    real.server.answerWith({ calls: [...allowed, ...denied] }, { text: "done" });
    const seen = await turn("do it", null, { access });
    expect(deniedTools(seen).toSorted()).toEqual(denied.map(({ tool }) => tool).toSorted());
    const { body } = real.server.requests.at(-1)!;
    expect(JSON.stringify(body)).toContain("NOTE");
    expect(JSON.stringify(body)).not.toContain("SECRET");
    expect(["a", "sub/b", "named.txt", "more.txt"].map(made)).toEqual([true, true, true, false]);
    expect(readdirSync(readable)).toEqual(["note.txt"]);
    expect(existsSync(join(real.folder, "c"))).toBe(false);
  });

  test("what a subagent asks when it is continued is answered at once", async () => {
    const access = { level: "full", named: true } as const;
    const outside = join(real.folder, "outside.txt");
    writeFileSync(outside, "OUTSIDE\n");
    const task = (task_id?: string) => ({
      tool: "task",
      input: {
        description: "x",
        prompt: "sub",
        subagent_type: "general",
        ...(task_id && { task_id }),
      },
    });
    real.server.answerWith(task(), { text: "ready" }, { text: "done" });
    const { id } = await turn("begin", null, { access });
    const handle = { id: id!, place: await real.place() };
    const database = new DatabaseSync(databaseOf(handle), { readOnly: true });
    const child = database.prepare("SELECT id FROM session WHERE parent_id = ?").get(id!);
    database.close();
    real.server.answerWith(
      task(String(child?.id)),
      read(outside),
      { text: "read" },
      { text: "done" },
    );
    expect((await turn("continue", id, { access })).answer).toBe("done");
    expect(JSON.stringify(real.server.requests.at(-2)!.body)).toContain("OUTSIDE");
  });
});

describe("the database of a session", () => {
  const whole = ["echo one", "one", "echo two", "two"];
  const damages: Record<string, (file: string) => void> = {
    deleted: (file) => rmSync(file),
    "without its last messages": (file) => {
      using database = new DatabaseSync(file);
      const [first, second] = database
        .prepare("SELECT id FROM message ORDER BY time_created")
        .all();
      for (const table of ["part", "message"])
        database
          .prepare(
            `DELETE FROM ${table} WHERE ${table === "part" ? "message_id" : "id"} NOT IN (?, ?)`,
          )
          .run(String(first?.id), String(second?.id));
    },
    "cut off": (file) => writeFileSync(file, readFileSync(file).subarray(0, 100_000)),
  };

  test.each<[string, number | string]>([
    ["deleted", "missing"],
    ["without its last messages", 2],
    ["cut off", "unreadable"],
  ])("%s: noticed, and the model gets what is put back", async (damage, noticed) => {
    const handle = await conversation("echo one", "echo two");
    const before = await history(handle);
    const checkpoint = await opencode.copyOut(handle);
    damages[damage]!(databaseOf(handle));
    const seen = await opencode.observe(handle, hash);
    expect(typeof seen === "string" ? seen : seen.items.length).toBe(noticed);

    await opencode.copyIn(handle, checkpoint, join(real.folder, "aside"));
    expect(await history(handle)).toEqual(before);
    expect(await opencode.copyOut(handle)).toEqual(checkpoint);
    expect(await turn("echo three", handle.id)).toMatchObject({ code: 0, id: handle.id });
    expect(sent()).toEqual([...whole, "echo three"]);
  });

  test("resumes in a new home and another folder", async () => {
    const handle = await conversation("remember APPLE-739");
    const files = await opencode.copyOut(handle);
    const other = join(real.folder, "other", "work");
    mkdirSync(other, { recursive: true });
    const from = { id: handle.id, folder: real.work };
    const moved = opencode.relocate!(files, from, { id: handle.id, folder: other });

    real.work = other;
    real.home = join(real.folder, "new-home");
    const settings = { ...real.agent.settings, home: real.home };
    real.agent = { ...real.agent, settings };
    await opencode.copyIn(
      { ...handle, place: await real.place() },
      moved,
      join(real.folder, "aside"),
    );
    const resumed = await turn("what did I ask you to remember?", handle.id);
    expect(resumed).toMatchObject({ id: handle.id, answer: "APPLE-739" });
  });

  test("is read while opencode writes, and found after it was killed in its first turn", async () => {
    real.server.answerWith({ text: "late", held: true });
    const { child, ended } = real.launch({ resume: null, newId: null });
    child.stdin.end("remember APPLE-739");
    const request = await real.server.nextRequest();
    const id = String(request.headers["x-session-id"]);
    const handle = { id, place: await real.place() };
    expect((await history(handle)).items.map(({ text }) => text)).toEqual(["remember APPLE-739"]);
    for (const pid of childrenOf(child.pid!)) process.kill(pid, "SIGKILL");
    child.kill("SIGKILL");
    await ended;
    expect(
      readdirSync(join(handle.place, "reprise")).filter((name) => name.endsWith(".db")),
    ).toEqual([expect.stringMatching(/^new-/)]);
    const resumed = await turn("what did I ask you to remember?", id);
    expect(resumed).toMatchObject({ id, answer: "APPLE-739" });
    expect(readdirSync(join(handle.place, "reprise"))).toEqual([`${id}.db`]);
  });

  test("a session of a person's own is listed, and continued in a copy", async () => {
    const handle = await conversation("remember APPLE-739");
    // As if the person's own opencode had begun it.
    const shared = join(handle.place, sharedName);
    writeFileSync(shared, readFileSync(databaseOf(handle)));
    rmSync(databaseOf(handle));
    const before = readFileSync(shared);
    const listed = await opencode.sessions!(real.agent, { folder: real.work, limit: 10 });
    expect(listed).toMatchObject([
      { id: handle.id, folder: real.work, prompt: "remember APPLE-739" },
    ]);
    expect(await opencode.sessions!(real.agent, { folder: real.folder, limit: 10 })).toEqual([]);
    const resumed = await turn("what did I ask you to remember?", handle.id);
    expect(resumed).toMatchObject({ id: handle.id, answer: "APPLE-739" });
    expect(readFileSync(shared).equals(before)).toBe(true);
  });
});

/** The starter's child is opencode. */
function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  return stdout.trim().split("\n").map(Number);
}
