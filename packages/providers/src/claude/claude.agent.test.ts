/** Checks the provider's assumptions with the real claude against a model server on loopback. */

import type { ChildProcess } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Handle } from "@reprise/core/session/pin";
import { questionTexts } from "@reprise/core/session/question";
import { describe, expect, test } from "vitest";
import { agentBinary } from "../../../../test/agents/agents.ts";
import { claudeEnvironment } from "../../../../test/agents/claude-home.ts";
import {
  type AgentTurn,
  end,
  failure,
  hash,
  realProvider,
  type TurnOptions,
} from "../../../../test/agents/real-provider.ts";
import { appears, until } from "../../../../test/until.ts";
import type { Answers } from "../answers.ts";
import { startAnthropicServer } from "../models/anthropic-messages.ts";
import type { Answer, ModelToolCall } from "../models/model.ts";
import { claude } from "./provider.ts";

const real = realProvider(claude, {
  startModelServer: startAnthropicServer,
  env: claudeEnvironment,
});
const { turn, conversation, history, sent } = real;
const asked = ({ events }: AgentTurn) => events.find((event) => event.type === "asked");
const deniedTools = ({ events }: AgentTurn) =>
  events.flatMap((event) => (event.type === "denied" ? [event.tool] : []));
const sessionFile = ({ id }: Handle) =>
  join(real.home, globSync(`projects/*/${id}.jsonl`, { cwd: real.home })[0]!);

describe("claude", () => {
  test("is found, with its abilities and account", () => {
    expect(real.found).toEqual({
      binary: agentBinary("claude"),
      runtime: {
        product: "claude-code",
        home: real.home,
        version: "2.1.325",
        abilities: ["resume", "model-on-resume"],
      },
      account: `key:${hash("secret")}`,
      sandbox: expect.any(Boolean),
    });
  });

  test("a new session has the id that we chose, a resumed one the same, and remembers", async () => {
    const first = await turn("remember APPLE-739");
    expect(first).toMatchObject({ code: 0, answer: "I will remember APPLE-739." });
    expect(first.id).toMatch(claude.manifest.idPattern);
    const second = await turn("what did I ask you to remember?", first.id);
    expect(second).toMatchObject({ code: 0, id: first.id, answer: "APPLE-739" });
    const other = await turn("what did I ask you to remember?");
    expect(other.answer).toBe("You did not ask me to remember anything.");
  });

  test("the second program continues the session when the first is gone", async () => {
    const first = join(real.folder, "claude-first");
    writeFileSync(first, `#!/bin/sh\nexec "${agentBinary("claude")}" "$@"\n`, { mode: 0o755 });
    const both = { ...real.agent.settings, binary: `${first}, ${agentBinary("claude")}` };
    const look = () => real.probe({ ...real.agent, settings: both });
    real.found = await look();
    expect(real.found.binary).toBe(first);
    const { id } = await turn("remember APPLE-739");
    rmSync(first);
    real.found = await look();
    expect(real.found.binary).toBe(agentBinary("claude"));
    const second = await turn("what did I ask you to remember?", id);
    expect(second).toMatchObject({ id, answer: "APPLE-739" });
  });

  test("an unknown id is refused before anything is sent; one in use too", async () => {
    const refused = await turn("hello", "11111111-1111-4111-8111-111111111111");
    expect(failure(refused)).toMatchObject({ kind: "missing" });
    expect(real.server.requests).toEqual([]);

    const { id } = await turn("hello");
    const { child, ended } = real.launch({ resume: null, newId: id! });
    child.stdin.end("hello");
    const { stderr } = await ended;
    const [taken] = claude.reader().end({ code: 1, stderr });
    expect(taken).toMatchObject({ failure: { kind: "in-use" } });
  });

  test("the history before a turn is the beginning of the history after it", async () => {
    const handle = await conversation("echo one");
    let before = await history(handle);
    expect(before.items.map(({ role, text: words }) => [role, words])).toEqual([
      ["user", "echo one"],
      ["assistant", "one"],
    ]);
    const both: Answer = {
      calls: ["echo a", "echo b"].map((command) => ({ tool: "Bash", input: { command } })),
    };
    // Rules, model and permissions change what claude adds to the conversation, but not the conversation.
    const turns: [string, TurnOptions, Answer[]][] = [
      ["echo two", {}, []],
      ["run echo three", { settings: { allowedTools: "Bash" } }, []],
      ["both", { settings: { allowedTools: "Bash" } }, [both]],
      ["echo four", { model: "claude-haiku-4-5" }, []],
      ["echo five", { settings: { permissionMode: "acceptEdits" } }, []],
    ];
    for (const [prompt, options, answers] of turns) {
      writeFileSync(join(real.work, "CLAUDE.md"), `Before "${prompt}".\n`);
      real.server.answerWith(...answers);
      expect((await turn(prompt, handle.id, options)).code).toBe(0);
      const after = await history(handle);
      expect(end(after, before.items.length)).toEqual(end(before));
      expect(after.items.length).toBeGreaterThan(before.items.length);
      before = after;
    }
    expect(before.items.map(({ role }) => role).join(" ")).toBe(
      "user assistant user assistant user tool tool assistant user tool tool tool tool assistant user assistant user assistant",
    );
  });

  test("usage is that of the turn alone", async () => {
    const usage = ({ events }: AgentTurn) => events.find((event) => event.type === "usage")!.usage;
    const first = await turn("echo one");
    const second = await turn("echo two", first.id);
    expect(usage(first)).toMatchObject({ uncached: 0, cachedRead: 0 });
    expect(usage(second).cachedRead).toBeGreaterThan(0.9 * usage(first).cachedWrite!);
    expect(usage(second).cachedWrite).toBeLessThan(0.1 * usage(first).cachedWrite!);
  });

  test("the model is the one of the turn", async () => {
    const models = () => real.server.requests.map(({ body }) => body.model);
    const { id } = await turn("hello", null, { model: "claude-haiku-4-5" });
    await turn("hello", id, { model: "claude-sonnet-4-5" });
    expect(models()).toEqual(["claude-haiku-4-5", "claude-sonnet-4-5"]);
  });

  test("a command that the model asks for is run if it is allowed; if not, it is reported", async () => {
    const allowed = { allowedTools: "Bash(echo *)", permissionMode: "acceptEdits" };
    const ran = await turn("run echo done > made.txt", null, { settings: allowed });
    expect(ran.events).toContainEqual({ type: "tool", name: "Bash" });
    expect(readFileSync(join(real.work, "made.txt"), "utf8")).toBe("done\n");
    // Claude does not keep what the previous turn was allowed.
    const denied = await turn("run echo again > second.txt", ran.id);
    expect(deniedTools(denied)).toEqual(["Bash"]);
    expect(denied.answer).toMatch(/It said: Permission to use Bash has been denied/);
    expect(existsSync(join(real.work, "second.txt"))).toBe(false);
  });

  test("a prompt arrives as text, whatever it begins with, with a space before a leading slash", async () => {
    writeFileSync(join(real.work, "note.txt"), "INSIDE\n");
    const { id } = await turn("hello");
    const same = [
      "@note.txt",
      "see @note.txt",
      "-x",
      "--help",
      "!ls",
      "#note",
      " /clear",
      "\n/new",
    ];
    for (const prompt of same) {
      expect((await turn(prompt, id)).id).toBe(id);
      expect(sent().at(-1)).toBe(prompt);
    }
    for (const prompt of ["/clear", "/help", "/compact", "/x", "/"]) {
      expect((await turn(prompt, id)).id).toBe(id);
      expect(sent().at(-1)).toBe(` ${prompt}`);
    }
    expect(real.server.requests).toHaveLength(1 + same.length + 5);
    expect(JSON.stringify(real.server.requests.at(-1)!.body).includes("INSIDE")).toBe(false);
  });

  test("a prompt of the maximum size arrives whole", async () => {
    const most = `${"x".repeat(claude.manifest.maxPrompt - "\necho done".length)}\necho done`;
    expect((await turn(most)).answer).toBe("done");
    expect(sent()).toEqual([most]);
  });

  test.each([
    [{ refuse: "rate-limit" }, { kind: "transient" }],
    [{ refuse: "server-error" }, { kind: "transient" }],
    [{ refuse: "overloaded" }, { kind: "transient" }],
    [{ dropped: "half an ans" }, { kind: "transient" }],
    [{ refuse: "unauthorized" }, { kind: "login" }],
    [{ status: 403, body: { type: "error", error: { message: "No." } } }, { kind: "login" }],
    [{ refuse: "invalid-history" }, { kind: "poisoned" }],
    [{ refuse: "overflow" }, { kind: "poisoned" }],
    [
      { status: 413, body: { type: "error", error: { type: "request_too_large", message: "x" } } },
      { kind: "poisoned" },
    ],
    [{ refuse: "bad-request" }, { kind: "unknown" }],
  ] as const)("%j is %j, and the session continues", async (answer, expected) => {
    const { id } = await turn("remember APPLE-739");
    let refusing = true;
    // Claude retries some of them by itself.
    real.server.answerWith(() => (refusing ? answer : undefined));
    const failed = await turn("hello", id);
    refusing = false;
    expect(failed).toMatchObject({ code: 1, id });
    expect(failure(failed)).toMatchObject(expected);
    expect(failed.answer).toBeUndefined();
    expect((await turn("what did I ask you to remember?", id)).answer).toBe("APPLE-739");
  });

  test("a subscriber's limit has its reset time; a refused connection is transient", async () => {
    real.server.answerWith({ refuse: "quota", resetsAt: 1_900_000_000 });
    const env = { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "token" };
    expect(failure(await turn("hello", null, { env }))).toMatchObject({
      kind: "quota",
      resetAt: 1_900_000_000_000,
    });
    await real.server.close();
    expect(failure(await turn("hello"))).toMatchObject({ kind: "transient" });
  });

  test("a session that was not used for a year is still there after a long turn", async () => {
    const handle = await conversation("hello");
    const year = Date.now() / 1000 - 365 * 24 * 3600;
    utimesSync(sessionFile(handle), year, year);
    real.server.answerWith({ text: "late", held: true });
    const writing = turn("hello");
    await real.server.nextRequest();
    const request = await real.server.nextRequest();
    // Its cleanup of old sessions ends some ten seconds after the start, and leaves a file.
    await appears(join(real.home, ".last-cleanup"));
    request.release();
    await writing;
    expect(existsSync(sessionFile(handle))).toBe(true);
  });
});

describe("a question is parked", () => {
  const question = (words: string): ModelToolCall => ({
    tool: "AskUserQuestion",
    input: {
      questions: [
        {
          question: words,
          header: "Choice",
          multiSelect: false,
          options: ["SQLite", "PostgreSQL"].map((label) => ({ label, description: label })),
        },
      ],
    },
  });
  /** The blocks of the last message that the model was sent, and what it had asked before. */
  const lastBlocks = () => {
    const messages = real.server.requests.at(-1)!.body.messages as {
      role: string;
      content: object[];
    }[];
    return messages.filter(({ role }) => role === "user").at(-1)!.content;
  };

  test("the turn ends without a process left, and another process answers", async () => {
    real.server.answerWith(question("Which database?"));
    const waiting = await turn("build it");
    expect(waiting).toMatchObject({ code: 0, answer: undefined });
    const { question: parked, lost } = asked(waiting)!;
    expect(parked).toMatchObject({ kind: "question", tool: "AskUserQuestion" });
    expect(parked.input).toMatchObject({ questions: [{ question: "Which database?" }] });
    expect(lost).toEqual([]);
    const before = await history({ id: waiting.id!, place: real.home });

    // Without its answer the call is deferred again, and is not a question of this launch.
    const again = await turn("", waiting.id, { answers: {} });
    expect(asked(again)).toBeUndefined();
    expect(real.server.requests).toHaveLength(1);

    const answers: Answers = {
      [parked.id]: { decision: "allow", answers: { "Which database?": "SQLite" } },
    };
    real.server.answerWith({ text: "Built with SQLite." });
    const answered = await turn("", waiting.id, { answers });
    expect(answered).toMatchObject({ code: 0, id: waiting.id, answer: "Built with SQLite." });
    expect(real.server.requests).toHaveLength(2);
    expect(lastBlocks()[0]).toMatchObject({
      type: "tool_result",
      tool_use_id: parked.id,
      content: expect.stringContaining('"Which database?"="SQLite"'),
    });
    const after = await history({ id: waiting.id!, place: real.home });
    expect(end(after, before.items.length)).toEqual(end(before));
    expect(after.items.map(({ role }) => role)).toEqual(["user", "tool", "tool", "assistant"]);
  });

  test.each<[string, (id: string, note: string) => Answers]>([
    [
      "answered",
      (id, note) => ({
        [id]: { decision: "allow", answers: { "Which database?": "x", "Which port?": "x" }, note },
      }),
    ],
    ["denied", (id, note) => ({ [id]: { decision: "deny", message: "Not now.", note } })],
  ])(
    "of several in one message one is parked; once it is %s, the others get results",
    async (_, answersTo) => {
      real.server.answerWith({ calls: [question("Which database?"), question("Which port?")] });
      const waiting = await turn("build it");
      const { question: parked, lost } = asked(waiting)!;
      // Their hooks run at the same time: the call whose hook ends last is kept.
      const texts = [parked, ...lost].flatMap(questionTexts);
      expect(texts.toSorted()).toEqual(["Which database?", "Which port?"]);
      const note = "The other question was not asked: ask one thing at a time.";
      await turn("", waiting.id, { answers: answersTo(parked.id, note) });
      const { body } = real.server.requests.at(-1)!;
      expect(JSON.stringify(body.messages.slice(-2))).toContain(note);
      expect(lastBlocks()[0]).toMatchObject({ type: "tool_result", tool_use_id: parked.id });
      expect(JSON.stringify(body).includes(lost[0]!.id)).toBe(false);
    },
  );

  test("the result of a tool in the same message is kept", async () => {
    const command = { tool: "Bash", input: { command: "echo done > made.txt" } };
    real.server.answerWith({ calls: [question("Which database?"), command] });
    const settings = { allowedTools: "Bash(echo *)", permissionMode: "acceptEdits" };
    const waiting = await turn("build it", null, { settings });
    expect(asked(waiting)).toMatchObject({ question: { kind: "question" }, lost: [] });
    expect(existsSync(join(real.work, "made.txt"))).toBe(true);
  });

  test("a refusal to answer reaches the model as an error of the tool", async () => {
    real.server.answerWith(question("Which database?"));
    const waiting = await turn("build it");
    const { id } = asked(waiting)!.question;
    await turn("", waiting.id, { answers: { [id]: { decision: "deny", message: "Not now." } } });
    expect(lastBlocks()[0]).toMatchObject({
      tool_use_id: id,
      is_error: true,
      content: expect.stringContaining("Not now."),
    });
  });

  test("an answer to a session that waits for none is refused", async () => {
    const { id } = await turn("hello");
    expect(failure(await turn("", id, { answers: {} }))).toMatchObject({ kind: "missing" });
  });

  test("a permission waits too if the settings say so, unless it is allowed", async () => {
    const settings = { permissions: "ask", allowedTools: "Bash(pwd)" };
    const waiting = await turn("run echo done > made.txt", null, { settings });
    const { question: parked } = asked(waiting)!;
    expect(parked).toMatchObject({ kind: "permission", tool: "Bash" });
    expect(parked.input).toMatchObject({ command: "echo done > made.txt" });
    expect(existsSync(join(real.work, "made.txt"))).toBe(false);

    const answers: Answers = { [parked.id]: { decision: "allow" } };
    await turn("", waiting.id, { settings, answers });
    expect(readFileSync(join(real.work, "made.txt"), "utf8")).toBe("done\n");
    expect((await turn("run pwd", waiting.id, { settings })).answer).toBe(`It said: ${real.work}`);
    writeFileSync(join(real.work, "note.txt"), "INSIDE\n");
    real.server.answerWith({ tool: "Read", input: { file_path: join(real.work, "note.txt") } });
    expect(asked(await turn("read it", waiting.id, { settings }))).toBeUndefined();
  });

  test("a permission that a subagent needs is denied", async () => {
    const delegate = { description: "work", prompt: "SUBTASK", subagent_type: "general-purpose" };
    real.server.answerWith(({ body, number }) => {
      if (number === 1) return { tool: "Agent", input: { ...delegate, run_in_background: false } };
      const sub = JSON.stringify(body.messages);
      if (sub.includes("delegate it") || sub.includes("tool_result")) return { text: "over" };
      return { shell: "echo done > made.txt" };
    });
    const delegated = await turn("delegate it", null, { settings: { permissions: "ask" } });
    expect(delegated.answer).toBe("over");
    expect(deniedTools(delegated)).toEqual(["Bash"]);
    expect(existsSync(join(real.work, "made.txt"))).toBe(false);
  });
});

describe("a damaged history is noticed, and the model gets what is put back", () => {
  const whole = ["echo one", "one", "echo two", "two", "echo three", "three"];
  const edit = (change: (lines: string[]) => string[]) => (handle: Handle) => {
    const file = sessionFile(handle);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, `${change(lines).join("\n")}\n`);
  };
  const says = (words: string) => (line: string) =>
    /"type":"(user|assistant)"/.test(line) &&
    (line.includes(`"content":"${words}"`) || line.includes(`"text":"${words}"`));

  test.each<[string, (handle: Handle) => void, number | string]>([
    ["deleted", (handle) => rmSync(sessionFile(handle)), "missing"],
    ["emptied", (handle) => writeFileSync(sessionFile(handle), ""), "unreadable"],
    [
      "cut at the end of a line",
      edit((lines) => lines.slice(0, lines.findIndex(says("three")))),
      5,
    ],
    [
      "damaged in the middle",
      edit((lines) => lines.map((line) => (says("echo two")(line) ? line.slice(2) : line))),
      "unreadable",
    ],
    ["a line taken out", edit((lines) => lines.filter((line) => !says("echo two")(line))), 3],
    [
      "torn at its end",
      (handle) =>
        writeFileSync(sessionFile(handle), readFileSync(sessionFile(handle)).subarray(0, -30)),
      "unreadable",
    ],
    [
      "copied to another project",
      (handle) => {
        mkdirSync(join(real.home, "projects/-elsewhere"));
        copyFileSync(
          sessionFile(handle),
          join(real.home, `projects/-elsewhere/${handle.id}.jsonl`),
        );
      },
      "unreadable",
    ],
  ])("%s", async (_, damage, noticed) => {
    const handle = await conversation("echo one", "echo two", "echo three");
    const before = await history(handle);
    expect(before.items.map((item) => item.text)).toEqual(whole);
    const checkpoint = await claude.copyOut(handle);

    damage(handle);
    const seen = await claude.observe(handle, hash);
    expect(typeof seen === "string" ? seen : seen.items.length).toBe(noticed);

    await claude.copyIn(handle, checkpoint, join(real.folder, "aside"));
    expect(await history(handle)).toEqual(before);
    expect(await turn("echo four", handle.id)).toMatchObject({ code: 0, id: handle.id });
    expect(sent()).toEqual([...whole, "echo four"]);
  });

  test("an earlier state forgets the turns after it", async () => {
    const handle = await conversation("echo one", "echo two");
    const checkpoint = await claude.copyOut(handle);
    await turn("echo three", handle.id);
    await claude.copyIn(handle, checkpoint, join(real.folder, "aside"));
    await turn("echo four", handle.id);
    expect(sent()).toEqual(["echo one", "one", "echo two", "two", "echo four"]);
  });

  test("two processes at once: reads the branch that claude continues", async () => {
    const handle = await conversation("echo one");
    real.server.answerWith(({ number }) =>
      number === 2 || number === 3 ? { text: `answer ${number}`, held: true } : undefined,
    );
    const both = [turn("first", handle.id), turn("second", handle.id)];
    await real.server.nextRequest();
    const requests = [await real.server.nextRequest(), await real.server.nextRequest()];
    for (const request of requests) request.release();
    await Promise.all(both);
    const { items } = await history(handle);
    await turn("echo next", handle.id);
    // The process that saw the other's prompt without an answer has added this after it.
    const madeUp = "No response requested.";
    const before = sent()
      .slice(0, -1)
      .filter((text) => text !== madeUp);
    expect(before).toEqual(items.map((item) => item.text));
  });

  test("a killed turn leaves its prompt; claude's filler messages do not count", async () => {
    const handle = await conversation("echo one");
    real.server.answerWith({ text: "never", held: true });
    await real.server.nextRequest();
    let child: ChildProcess | undefined;
    const killed = turn("killed", handle.id, { onLaunch: (launched) => (child = launched) });
    await real.server.nextRequest();
    await until(async () => (await history(handle)).items.length === 3);
    child!.kill("SIGKILL");
    expect(failure(await killed)).toBeUndefined();
    await turn("echo two", handle.id);
    expect((await history(handle)).items.map((item) => item.text)).toEqual([
      "echo one",
      "one",
      "killed",
      "echo two",
      "two",
    ]);
  });

  test("long tool results are copied too, and a compaction is one more item", async () => {
    const settings = { allowedTools: "Bash" };
    const begun = await turn("run seq 1 30000", null, { settings });
    const handle = { id: begun.id!, place: real.home };
    const names = (await claude.copyOut(handle)).map(({ name }) => name);
    expect(names).toHaveLength(2);
    expect(names[1]).toMatch(/\/tool-results\/[^/]+$/);
    const before = await history(handle);

    real.server.answerWith({ text: "<summary>They counted.</summary>" });
    const { child, ended } = real.launch({ resume: handle, newId: null });
    child.stdin.end("/compact");
    await ended;
    const after = await history(handle);
    expect(end(after, before.items.length)).toEqual(end(before));
    expect(after.items.slice(before.items.length)).toMatchObject([
      { role: "summary", text: expect.stringContaining("They counted.") },
    ]);
    await turn("echo next", handle.id);
    expect(end(await history(handle), after.items.length)).toEqual(end(after));
  });
});
