import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { AgentHome, events, type ProgramRun, type ProgramRunOptions, until } from "./agent-run.ts";
import { appendItem } from "./files.ts";

const id = "11111111-1111-4111-8111-111111111111";
const other = "22222222-2222-4222-8222-222222222222";

let agent: AgentHome;
beforeEach(() => {
  agent = new AgentHome();
  onTestFinished(() => agent[Symbol.dispose]());
});

const flags = (script: object) => ["--resume", id, "--script", agent.script(script)];

/** A turn in which the agent does `steps`, on a session that has one turn already. */
function resume(steps: readonly unknown[], options?: ProgramRunOptions): Promise<ProgramRun> {
  begin();
  return agent.run(flags(steps), "hello", options);
}

function begin(): void {
  appendItem(agent.home, id, { role: "user", text: "remember A" });
  appendItem(agent.home, id, { role: "assistant", text: "I will remember A" });
}

/** Records the first byte of every write to standard output: a reader that is slow gets several of them at once. */
const recordWrites = `data:text/javascript,${encodeURIComponent(`
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const { appendFileSync, writeSync } = fs;
  fs.writeSync = (file, bytes, offset) => {
    if (file === 1) appendFileSync(process.env.WRITES, bytes[offset] + "\\n");
    return writeSync(file, bytes, offset);
  };
  syncBuiltinESMExports();
`)}`;

const types = (run: ProgramRun) => events(run).map(({ type }) => type);
const items = () => agent.session(id).split("\n").length - 1;

describe("the session", () => {
  test("refuse: before anything was sent", async () => {
    const run = await resume(["refuse"]);
    expect(run).toMatchObject({ code: 1, stderr: `No session found with id ${id}\n` });
    expect(run.stdout).toHaveLength(0);
    expect(agent.events()).toEqual(["start", "rule", "exit"]);
    expect(items()).toBe(2);
  });

  test("refuse after a tool", async () => {
    const run = await resume([{ tool: "ls" }, "refuse"]);
    expect(run).toMatchObject({ code: 1, stderr: `No session found with id ${id}\n` });
    expect(types(run)).toEqual(["session", "tool"]);
    expect(agent.events()).toEqual(["start", "rule", "model", "tool", "exit"]);
  });

  test("in-use: the id of a new session is taken", async () => {
    const run = await agent.run(["--session-id", id, "--script", agent.script(["in-use"])], "hi");
    expect(run).toMatchObject({ code: 1, stderr: `Session id ${id} is already in use\n` });
    expect(run.stdout).toHaveLength(0);
  });

  test("refuse-as-success: exit 0, a result, no work", async () => {
    const run = await resume(["refuse-as-success"]);
    expect(run.code).toBe(0);
    expect(events(run)).toEqual([
      { type: "session", id },
      { type: "usage", total: true, cachedRead: 0, cachedWrite: 0, uncached: 0, output: 0 },
      { type: "result", ok: true, text: `No session found with id ${id}` },
    ]);
    expect(agent.events()).toEqual(["start", "rule", "exit"]);
  });

  test("answer-id: another id comes back", async () => {
    const run = await resume([{ "answer-id": other }]);
    expect(events(run)[0]).toEqual({ type: "session", id: other });
    expect(items()).toBe(4);
  });

  test("new-session: a new one without the history, under a new id", async () => {
    const run = await resume(["new-session"]);
    const printed = String(events(run)[0]?.id);
    expect(printed).toMatch(/^[0-9a-f-]{36}$/);
    expect(printed).not.toBe(id);
    expect(agent.ledger().findLast(({ event }) => event === "model")).toMatchObject({
      session: printed,
      history: 0,
    });
    expect(items()).toBe(2);
    expect(agent.session(printed)).toContain('"hello"');
  });

  test("echo-credential: the id is a secret", async () => {
    const run = await resume([{ "echo-credential": "SECRET" }], { env: { SECRET: "sk-1" } });
    expect(events(run)[0]).toEqual({ type: "session", id: "sk-1" });
  });

  test("late-id: only before the result", async () => {
    const run = await resume(["late-id"]);
    expect(types(run)).toEqual(["text", "usage", "session", "result"]);
  });

  test("no-id", async () => {
    const run = await resume(["no-id"]);
    expect(types(run)).toEqual(["text", "usage", "result"]);
  });

  test("replay: the history first, marked", async () => {
    const run = await resume(["replay"]);
    const [, ...rest] = events(run);
    expect(rest.slice(0, 3)).toEqual([
      { type: "text", role: "user", text: "remember A", replay: true },
      { type: "text", role: "assistant", text: "I will remember A", replay: true },
      {
        type: "usage",
        total: true,
        cachedRead: 0,
        cachedWrite: 0,
        uncached: 3,
        output: 5,
        replay: true,
      },
    ]);
    expect(rest.slice(3).map(({ replay }) => replay)).toEqual([undefined, undefined, undefined]);
  });
});

describe("what is kept", () => {
  test("ghost: answers and saves nothing", async () => {
    const run = await resume([{ tool: "ls" }, "ghost"]);
    expect(types(run)).toEqual(["session", "tool", "text", "usage", "result"]);
    expect(items()).toBe(2);
    expect(agent.events()).not.toContain("saved");
  });

  test("ghost: a new session leaves no file", async () => {
    const script = agent.script(["ghost"]);
    const run = await agent.run(["--session-id", id, "--script", script], "hello");
    expect(run.code).toBe(0);
    expect(() => agent.session(id)).toThrow("ENOENT");
  });

  test("forget: the end of its own history is lost before the model is asked", async () => {
    await resume([{ forget: 1 }]);
    expect(agent.ledger().findLast(({ event }) => event === "model")).toMatchObject({ history: 1 });
    expect(items()).toBe(3);
    expect(agent.session(id)).not.toContain("I will remember");
  });

  test("compact: a summary replaces the history", async () => {
    await resume(["compact"]);
    expect(agent.session(id).split("\n", 1)).toEqual([
      JSON.stringify({ role: "summary", text: "remember A\nI will remember A" }),
    ]);
    expect(items()).toBe(3);
  });
});

describe("a compaction", () => {
  const compact = (steps: unknown[]) => {
    const rules = [{ when: { compact: true }, do: steps }];
    return agent.run([...flags({ rules }), "--compact"], "");
  };
  beforeEach(begin);

  test.each<[string, unknown[], object]>([
    ["fails", [{ fail: { kind: "unknown" } }], { ok: false }],
    ["says so and saves nothing", ["ghost"], { ok: true }],
    ["is too long itself", ["overflow-as-success"], { stop: "overflow" }],
  ])("%s, and leaves the session as it was", async (_, steps, result) => {
    const before = agent.session(id);
    expect(events(await compact(steps)).at(-1)).toMatchObject({ type: "result", ...result });
    expect(agent.session(id)).toBe(before);
  });

  test("is not a turn: rules for turns do not apply to it", async () => {
    const only = flags({ rules: [{ when: { compact: false }, do: ["refuse"] }] });
    expect((await agent.run([...only, "--compact"], "")).code).toBe(0);
    expect((await agent.run(only, "echo on")).code).toBe(1);
  });
});

describe("the answer", () => {
  test("say: a healthy answer with any text", async () => {
    const text = "400 invalid_request_error: thinking signature";
    const run = await resume([{ say: text }]);
    expect(run.code).toBe(0);
    expect(events(run).at(-1)).toEqual({ type: "result", ok: true, text });
    expect(agent.session(id)).toContain(text);
  });

  test("overflow-as-success", async () => {
    const run = await resume(["overflow-as-success"]);
    expect(run.code).toBe(0);
    expect(events(run).at(-1)).toEqual({
      type: "result",
      ok: true,
      text: "Prompt is too long",
      stop: "overflow",
    });
  });

  test("fail: after the prompt was sent, with the error as given", async () => {
    const error = { kind: "quota", status: 429, message: "Limit reached", resetAt: 1_800_000_000 };
    const run = await resume([{ fail: error }]);
    expect(run.code).toBe(1);
    expect(events(run)).toEqual([
      { type: "session", id },
      { type: "result", ok: false, error },
    ]);
    expect(agent.events()).toEqual(["start", "rule", "model", "exit"]);
    expect(items()).toBe(3);
  });

  test("fail: a refusal sends nothing", async () => {
    const run = await resume([{ fail: { kind: "writer", message: "locked" } }]);
    expect(events(run)).toEqual([
      { type: "result", ok: false, error: { kind: "writer", message: "locked" } },
    ]);
    expect(agent.events()).toEqual(["start", "rule", "exit"]);
  });

  test("fail after the answer: the tokens are used", async () => {
    const run = await resume(["answer", { fail: { status: 500 } }]);
    expect(types(run)).toEqual(["session", "text", "usage", "result"]);
    expect(run.code).toBe(1);
  });
});

describe("the stream", () => {
  test("split: pieces that split characters", async () => {
    const run = await resume(["split", { say: "Grüße 🎉" }], {
      env: { NODE_OPTIONS: `--import=${recordWrites}`, WRITES: agent.path("writes") },
    });
    expect(events(run).at(-1)).toMatchObject({ text: "Grüße 🎉" });
    const first = readFileSync(agent.path("writes"), "utf8").trim().split("\n").map(Number);
    expect(first.filter((byte) => (byte & 0xc0) === 0x80).length).toBeGreaterThan(0);
  });

  test("big-line: one line of exactly that many bytes", async () => {
    const run = await resume(["session", { "big-line": 3_000_000 }]);
    const [, big = "", ...rest] = run.stdout.toString().split("\n");
    expect(big.length + 1).toBe(3_000_000);
    expect(JSON.parse(big)).toMatchObject({ type: "text" });
    expect(rest).toHaveLength(4);
  });

  test("bad-utf8", async () => {
    const run = await resume(["bad-utf8"]);
    expect(run.stdout.includes(Buffer.from([0x66, 0xe9, 0x22]))).toBe(true);
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(run.stdout)).toThrow();
    expect(types(run).at(-1)).toBe("result");
  });

  test("noise: lines that are not events", async () => {
    const run = await resume(["noise"]);
    expect(run.stdout.toString().split("\n").slice(0, 5)).toEqual([
      "Loading… 42 %",
      "",
      "{ not json",
      "[1]",
      "null",
    ]);
    expect(run.code).toBe(0);
  });

  test("stderr", async () => {
    const run = await resume([{ stderr: "Warning: something" }]);
    expect(run).toMatchObject({ code: 0, stderr: "Warning: something\n" });
  });
});

describe("the process", () => {
  test("crash: by a signal, at the current point", async () => {
    const run = await resume([{ tool: "ls" }, "crash"]);
    expect(run).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(agent.events()).toEqual(["start", "rule", "model", "tool"]);
    expect(items()).toBe(4);
  });

  test.for([
    [[], [], 0],
    [["session"], ["session"], 0],
    [["model"], ["session"], 1],
    [["answer"], ["session", "text", "usage"], 1],
    [["save"], ["session", "text", "usage"], 2],
    [["result"], ["session", "text", "usage", "result"], 2],
  ] as const)("crash after %j", async ([before, printed, saved]) => {
    const run = await resume([...before, { crash: "SIGTERM" }]);
    expect(run.signal).toBe("SIGTERM");
    expect(types(run)).toEqual(printed);
    expect(items()).toBe(2 + saved);
    expect(agent.events()).not.toContain("exit");
  });

  test("exit: without a result", async () => {
    const run = await resume(["save", { exit: 3 }]);
    expect(run.code).toBe(3);
    expect(types(run)).not.toContain("result");
    expect(agent.ledger().at(-1)).toMatchObject({ event: "exit", code: 3 });
  });

  test("touch and wait-for: a test holds it at a point", async () => {
    begin();
    const steps = ["session", { touch: "reached" }, { "wait-for": "go" }];
    const running = agent.start(flags(steps), "hello");
    await until(() => existsSync(agent.path("reached")));
    expect(agent.events()).toEqual(["start", "rule"]);
    writeFileSync(agent.path("go"), "");
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(agent.events()).toContain("saved");
  });

  test("hang: until it is signalled", async () => {
    begin();
    const running = agent.start(flags(["model", { touch: "hanging" }, "hang"]), "hello");
    await until(() => existsSync(agent.path("hanging")));
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: null, signal: "SIGTERM" });
    expect(agent.ledger().at(-1)).toMatchObject({ event: "exit", signal: "SIGTERM" });
  });

  test("ignore-sigterm: only SIGKILL ends it", async () => {
    begin();
    const running = agent.start(flags(["ignore-sigterm", { touch: "here" }, "hang"]), "hello");
    await until(() => existsSync(agent.path("here")));
    running.child.kill("SIGTERM");
    await until(() => agent.events().includes("ignored"));
    running.child.kill("SIGKILL");
    expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
  });

  test.for([false, true])("tool-child: outlives the agent (own group: %j)", async (ownGroup) => {
    const child = { file: "ticks", seconds: 60, "own-group": ownGroup, "ignore-sigterm": true };
    const run = await resume([{ "tool-child": child }]);
    expect(run.code).toBe(0);
    const pid = Number(agent.ledger().find(({ event }) => event === "tool-child")?.child);
    onTestFinished(() => void process.kill(pid, "SIGKILL"));

    const ticks = () => readFileSync(agent.path("ticks"), "utf8").trim().split("\n");
    process.kill(pid, "SIGTERM");
    const before = ticks().length;
    await until(() => ticks().length > before + 1);
    expect(new Set(ticks())).toEqual(new Set([String(pid)]));
    const group = execFileSync("ps", ["-o", "pgid=", "-p", String(pid)]).toString();
    expect(Number(group) === pid).toBe(ownGroup);
  });
});

describe("rules", () => {
  test("the first match applies, by launch, resume, prompt and model", async () => {
    const answer = (when: object, say: string) => ({ when, do: [{ say }] });
    const script = agent.script({
      rules: [
        answer({ launch: 1 }, "first launch"),
        answer({ model: "large" }, "large model"),
        answer({ resume: true, prompt: "magic" }, "magic word"),
        answer({ resume: true }, "resumed"),
      ],
    });
    const said = async (session: string[], prompt: string, model: string[] = []) =>
      events(await agent.run([...session, ...model, "--script", script], prompt)).at(-1)?.text;
    expect(await said(["--session-id", id], "magic")).toBe("first launch");
    expect(await said(["--resume", id], "magic", ["--model", "large"])).toBe("large model");
    expect(await said(["--resume", id], "some magic")).toBe("magic word");
    expect(await said(["--resume", id], "hello")).toBe("resumed");
    expect(await said(["--session-id", other], "echo plain")).toBe("plain");
  });

  test("times: how often it applies in one home", async () => {
    begin();
    const script = agent.script({ rules: [{ times: 2, do: ["refuse"] }] });
    const codes: (number | null)[] = [];
    for (let launch = 0; launch < 3; launch += 1)
      codes.push((await agent.run(["--resume", id, "--script", script], "hello")).code);
    expect(codes).toEqual([1, 1, 0]);
  });
});
