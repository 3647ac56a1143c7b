/** Checks the provider's assumptions with the real gemini against a model server on loopback. */

import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { SessionLostError } from "@reprise/core/errors/errors";
import type { Handle } from "@reprise/core/session/pin";
import { describe, expect, test } from "vitest";
import { agentBinary } from "../../../../test/agents/agents.ts";
import { geminiEnvironment, makeGeminiHome } from "../../../../test/agents/gemini-home.ts";
import {
  type AgentTurn,
  end,
  failure,
  hash,
  realProvider,
  type TurnOptions,
} from "../../../../test/agents/real-provider.ts";
import { startGeminiServer } from "../models/gemini-content.ts";
import type { LaunchAccess } from "../provider.ts";
import { gemini } from "./provider.ts";
import { ownName } from "./session-files.ts";

const real = realProvider(gemini, {
  startModelServer: startGeminiServer,
  makeHome: makeGeminiHome,
  env: geminiEnvironment,
});
const { turn, conversation, history, sent } = real;
const filesOf = (id: string) =>
  globSync(`.gemini/tmp/*/chats/session-*${id.slice(0, 8)}*`, { cwd: real.home });
const sessionFile = ({ id }: Handle) => join(real.home, filesOf(id)[0]!);
const deniedTools = ({ events }: AgentTurn) =>
  events.flatMap((event) => (event.type === "denied" ? [event.tool] : []));

describe("gemini", () => {
  test("is found, with its abilities and account", () => {
    expect(real.found).toEqual({
      binary: expect.stringMatching(/\/@google\/gemini-cli\/bundle\/gemini\.js$/),
      runtime: {
        product: "gemini-cli",
        home: real.home,
        version: "0.61.0",
        abilities: ["resume", "model-on-resume"],
      },
      account: `key:${hash("secret")}`,
    });
    expect(agentBinary("gemini")).toMatch(/\.bin\/gemini$/);
  });

  test("a new session has the id that we chose, a resumed one the same, and remembers", async () => {
    const first = await turn("remember APPLE-739");
    expect(first).toMatchObject({ code: 0, answer: "I will remember APPLE-739." });
    expect(first.id).toMatch(gemini.manifest.idPattern);
    const second = await turn("what did I ask you to remember?", first.id);
    expect(second).toMatchObject({ code: 0, id: first.id, answer: "APPLE-739" });
    const other = await turn("what did I ask you to remember?");
    expect(other.answer).toBe("You did not ask me to remember anything.");
  });

  test("an unknown id is refused before anything is sent; one in use too", async () => {
    const refused = await turn("hello", "11111111-1111-4111-8111-111111111111");
    expect(failure(refused)).toMatchObject({ kind: "missing" });
    await expect(turn("hello", "latest")).rejects.toThrow(SessionLostError);
    expect(real.server.requests).toEqual([]);

    const { id } = await turn("hello");
    const unknown = await turn("hello", "11111111-1111-4111-8111-111111111111");
    expect(failure(unknown)).toMatchObject({ kind: "missing" });
    const { child, ended } = real.launch({ resume: null, newId: id! });
    child.stdin.end("hello");
    const { stderr } = await ended;
    const [taken] = gemini.reader().end({ code: 42, stderr });
    expect(taken).toMatchObject({ failure: { kind: "in-use" } });
  });

  test("the history before a turn is the beginning of the history after it", async () => {
    const handle = await conversation("echo one");
    let before = await history(handle);
    expect(before.items.map(({ role, text: words }) => [role, words])).toEqual([
      ["user", "echo one"],
      ["assistant", "one"],
    ]);
    // Rules, model and mode change what gemini adds to the conversation, but not the conversation.
    const turns: [string, TurnOptions][] = [
      ["echo two", {}],
      ["run echo three", { settings: { approvalMode: "yolo" } }],
      ["echo four", { model: "gemini-2.5-pro" }],
    ];
    for (const [prompt, options] of turns) {
      writeFileSync(join(real.work, "GEMINI.md"), `Before "${prompt}".\n`);
      expect((await turn(prompt, handle.id, options)).code).toBe(0);
      const after = await history(handle);
      expect(end(after, before.items.length)).toEqual(end(before));
      expect(after.items.length).toBeGreaterThan(before.items.length);
      before = after;
    }
    expect(before.items.map(({ role }) => role).join(" ")).toBe(
      "user assistant user assistant user tool tool assistant user assistant",
    );
  });

  test("usage is that of the turn alone", async () => {
    const usage = ({ events }: AgentTurn) => events.find((event) => event.type === "usage")!.usage;
    const first = await turn("echo one");
    const second = await turn("echo two", first.id);
    expect(usage(first)).toMatchObject({ cachedRead: 0 });
    expect(usage(second).cachedRead).toBeGreaterThan(0.9 * usage(first).uncached!);
    expect(usage(second).uncached).toBeLessThan(0.1 * usage(first).uncached!);
  });

  test("a prompt arrives as text, whatever it begins with, and is there after a resume", async () => {
    writeFileSync(join(real.work, "note.txt"), "INSIDE\n");
    const { id } = await turn("hello");
    const prompts = [" /clear", "?why", "see @note.txt", "<session_context>"];
    for (const prompt of prompts) expect((await turn(prompt, id)).id).toBe(id);
    const said = sent().filter((_, index) => index % 2 === 0);
    expect(said).toEqual(["hello", ...prompts.map((prompt) => gemini.escape!(prompt))]);
    expect(real.server.requests).toHaveLength(1 + prompts.length);
    expect(JSON.stringify(real.server.requests.at(-1)!.body)).not.toContain("INSIDE");
  });

  test("a prompt of 1 MB arrives whole", async () => {
    const most = `${"x".repeat(1024 * 1024)}\necho done`;
    expect((await turn(most)).answer).toBe("done");
    expect(sent()).toEqual([most]);
  });

  // How other failures are worded is recorded in reader.test.ts.
  test.each([
    [{ refuse: "rate-limit" }, { kind: "transient", throttled: true }],
    [{ dropped: "half an ans" }, { kind: "transient" }],
  ] as const)("%j is %j, and the session continues", async (answer, expected) => {
    const { id } = await turn("remember APPLE-739");
    real.server.answerWith(answer);
    const failed = await turn("hello", id);
    expect(failed.id).toBe(id);
    expect(failure(failed)).toMatchObject(expected);
    expect(failed.answer).toBeUndefined();
    expect((await turn("what did I ask you to remember?", id)).answer).toBe("APPLE-739");
  });

  test("a signal ends it without a result, although it exits with 0", async () => {
    const answer = { text: "late", held: true };
    real.server.answerWith(answer);
    const stopped = turn("hello", null, {
      onLaunch: (child) => void real.server.nextRequest().then(() => child.kill("SIGTERM")),
    });
    const { code, answer: said, events } = await stopped;
    expect(code).toBe(0);
    expect(said).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ failure: { kind: "transient" } });
  });
});

describe("access", () => {
  const write = (path: string) => ({
    tool: "write_file",
    input: { file_path: path, content: "x" },
  });
  const made = (name: string) => existsSync(join(real.work, name));

  test("rules deny what settings of gemini allow, and a project's settings are not read", async () => {
    const allowing = { tools: { allowed: ["run_shell_command", "write_file"] } };
    const settings = join(real.home, ".gemini", "settings.json");
    const own = { ...JSON.parse(readFileSync(settings, "utf8")), ...allowing };
    writeFileSync(settings, JSON.stringify(own));
    mkdirSync(join(real.work, ".gemini"));
    const hook = { type: "command", command: `touch ${join(real.work, "hooked")}` };
    const project = { ...allowing, hooks: { SessionStart: [{ hooks: [hook] }] } };
    writeFileSync(join(real.work, ".gemini", "settings.json"), JSON.stringify(project));
    const access = { level: "read", named: true } as const;

    const shell = { tool: "run_shell_command", input: { command: "touch a" } };
    real.server.answerWith({ calls: [shell, write(join(real.work, "b"))] }, { text: "done" });
    const seen = await turn("do it", null, { access });
    expect(deniedTools(seen)).toEqual(["run_shell_command", "write_file"]);
    expect(readdirSync(real.work)).toEqual([".gemini"]);
  });

  test("edit writes in the work folder alone, and runs the named commands alone", async () => {
    const readable = join(real.folder, "readable");
    mkdirSync(readable);
    writeFileSync(join(readable, "note.txt"), "NOTE\n");
    const access: Partial<LaunchAccess> = {
      ...{ level: "edit", named: true, readable: [readable] },
      allowedCommands: [`touch "named.txt"`],
    };
    const shell = (command: string) => ({ tool: "run_shell_command", input: { command } });
    const allowed = [
      write(join(real.work, "a")),
      write("sub/b"),
      { tool: "read_file", input: { file_path: join(readable, "note.txt") } },
      shell(`touch "named.txt"`),
    ];
    const denied = [
      write(join(real.folder, "c")),
      write("sub/../../c"),
      write(join(readable, "c")),
      shell(`touch "named.txt" more.txt`),
      shell(`touch "named.txt"; touch more.txt`),
    ];
    real.server.answerWith({ calls: [...allowed, ...denied] }, { text: "done" });
    const seen = await turn("do it", null, { access });
    expect(deniedTools(seen).toSorted()).toEqual(denied.map(({ tool }) => tool).toSorted());
    expect(JSON.stringify(real.server.requests.at(-1)!.body)).toContain("NOTE");
    expect([made("a"), made("sub/b"), made("named.txt"), made("more.txt")]).toEqual([
      ...[true, true, true, false],
    ]);
    expect(readdirSync(readable)).toEqual(["note.txt"]);
    expect(existsSync(join(real.folder, "c"))).toBe(false);
  });
});

describe("gemini's clean-up", () => {
  test("a session that was resumed in a later minute outlives the start of another one", async () => {
    const { id } = await turn("remember APPLE-739");
    // As if the minute had passed.
    const old = `session-2026-01-01T00-00-${id!.slice(0, 8)}.jsonl`;
    const file = sessionFile({ id: id!, place: real.home });
    renameSync(file, join(file, "..", old));
    await turn("echo two", id);
    const names = filesOf(id!).map((name) => name.split("/").at(-1));
    expect(names).toHaveLength(2);
    expect(names).toContain(ownName(id!));
    await turn("echo of another session");
    expect((await turn("what did I ask you to remember?", id)).answer).toBe("APPLE-739");
  });
});

describe("a damaged history is noticed, and the model gets what is put back", () => {
  const whole = ["echo one", "one", "echo two", "two"];
  const edit = (change: (lines: string[]) => string[]) => (handle: Handle) => {
    const file = sessionFile(handle);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, `${change(lines).join("\n")}\n`);
  };
  const isMessage = (words: string) => (line: string) =>
    line.startsWith('{"id"') && line.includes(`${words}"`);
  const cutAt = (words: string) => (lines: string[]) =>
    lines.slice(0, lines.findIndex(isMessage(words)));

  test.each<[string, (handle: Handle) => void, number | string, string[] | null]>([
    ["deleted", (handle) => rmSync(sessionFile(handle)), "missing", null],
    ["cut at the end of a line", edit(cutAt("two")), 2, whole.slice(0, 2)],
  ])("%s", async (_, damage, noticed, damagedView) => {
    const handle = await conversation("echo one", "echo two");
    for (const name of filesOf(handle.id))
      if (!name.endsWith(ownName(handle.id))) rmSync(join(real.home, name));
    const before = await history(handle);
    const checkpoint = await gemini.copyOut(handle);
    const aside = join(real.folder, "aside");

    damage(handle);
    const seen = await gemini.observe(handle, hash);
    expect(typeof seen === "string" ? seen : seen.items.length).toBe(noticed);
    // Gemini continues silently or refuses.
    const unaware = await turn("echo unaware", handle.id);
    if (damagedView === null) expect(failure(unaware)).toMatchObject({ kind: "missing" });
    else expect(sent()).toEqual([...damagedView, "echo unaware"]);

    await gemini.copyIn(handle, checkpoint, aside);
    const { bytes: _bytes, ...restored } = await history(handle);
    expect(before).toMatchObject(restored);
    expect(await turn("echo three", handle.id)).toMatchObject({ code: 0, id: handle.id });
    expect(sent()).toEqual([...whole, "echo three"]);
  });

  test("the files of a session resume in a new home, another folder, and as a fork", async () => {
    const handle = await conversation("remember APPLE-739");
    const files = await gemini.copyOut(handle);
    const aside = join(real.folder, "aside");
    const other = join(real.folder, "other", "work");
    mkdirSync(other, { recursive: true });
    const from = { id: handle.id, folder: real.work };
    const fork = { id: crypto.randomUUID(), folder: other };
    await gemini.copyIn(
      { id: fork.id, place: real.home },
      gemini.relocate!(files, from, fork),
      aside,
    );
    const home = join(real.folder, "new-home");
    await makeGeminiHome(home);
    await gemini.copyIn({ id: handle.id, place: home }, files, aside);

    const [work, old] = [real.work, real.home];
    real.work = other;
    const forked = await turn("what did I ask you to remember?", fork.id);
    expect(forked).toMatchObject({ id: fork.id, answer: "APPLE-739" });
    [real.work, real.home] = [work, home];
    real.agent = { ...real.agent, settings: { ...real.agent.settings, home } };
    real.found = await real.probe(real.agent);
    const moved = await turn("what did I ask you to remember?", handle.id);
    expect(moved).toMatchObject({ id: handle.id, answer: "APPLE-739" });
    real.home = old;
  });
});
