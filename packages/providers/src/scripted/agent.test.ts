import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { AgentHome, events } from "./agent-run.ts";

const id = "11111111-1111-4111-8111-111111111111";
const other = "22222222-2222-4222-8222-222222222222";
const newSession = ["--session-id", id];
const resumed = ["--resume", id];

describe("a session", () => {
  test("remembers after a resume, and the ledger has what the model was sent", async () => {
    using agent = new AgentHome();
    const first = await agent.run(newSession, "remember APPLE-739", {
      env: { REPRISE_TURN: "turn-1" },
    });
    const second = await agent.run(resumed, "what did I ask you to remember?");

    expect([first.code, second.code]).toEqual([0, 0]);
    expect(events(first)).toEqual([
      { type: "session", id },
      { type: "text", text: "I will remember APPLE-739" },
      { type: "usage", total: true, cachedRead: 0, cachedWrite: 0, uncached: 5, output: 7 },
      { type: "result", ok: true, text: "I will remember APPLE-739" },
    ]);
    expect(events(second).at(-1)).toEqual({ type: "result", ok: true, text: "APPLE-739" });
    expect(
      agent
        .session(id)
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { role: "user", text: "remember APPLE-739" },
      { role: "assistant", text: "I will remember APPLE-739" },
      { role: "user", text: "what did I ask you to remember?" },
      { role: "assistant", text: "APPLE-739" },
    ]);

    const launch = ["start", "model", "answer", "saved", "exit"];
    expect(agent.events()).toEqual([...launch, ...launch]);
    const [start, model, answer] = agent.ledger();
    expect(start).toMatchObject({ turn: "turn-1", session: id, resume: false });
    expect(start?.argv).toEqual(["--home", agent.home, ...newSession]);
    expect(model).toMatchObject({ session: id, history: 0, prompt: "remember APPLE-739" });
    expect(answer).toMatchObject({ text: "I will remember APPLE-739" });
    expect(agent.ledger()[6]).toMatchObject({ session: id, history: 2 });
  });

  test("reports running totals: earlier history is read from the cache", async () => {
    using agent = new AgentHome();
    await agent.run(newSession, "echo abcd");
    const second = await agent.run(resumed, "echo abcd");
    const [, , usage] = events(second);
    expect(usage).toEqual({
      type: "usage",
      total: true,
      cachedRead: 4,
      cachedWrite: 0,
      uncached: 6,
      output: 2,
    });
  });

  test("runs a tool that the prompt asks for", async () => {
    using agent = new AgentHome();
    const run = await agent.run(newSession, "run tool ls");
    expect(events(run).map(({ type }) => type)).toEqual([
      "session",
      "tool",
      "text",
      "usage",
      "result",
    ]);
    expect(agent.session(id)).toContain('{"role":"tool","text":"ls"}\n');
    expect(agent.events()).toContain("tool");
  });

  test("is compacted: one summary, with what to remember and the focus, replaces the history", async () => {
    using agent = new AgentHome();
    await agent.run(newSession, "remember APPLE-739");
    const total = events(await agent.run(resumed, `echo ${"word ".repeat(50)}`)).at(-2);
    const compacted = await agent.run([...resumed, "--compact"], "the parser");
    expect(compacted.code).toBe(0);
    const [session, usage, result] = events(compacted);
    expect(session).toEqual({ type: "session", id });
    expect(usage).toMatchObject({ type: "usage", uncached: total!.uncached });
    expect(usage!.cachedRead).toBeGreaterThan(Number(total!.cachedRead));
    expect(result).toEqual({ type: "result", ok: true, text: "" });
    const summary = "Summary of 4 items.\nFocus: the parser\nremember APPLE-739";
    expect(agent.session(id)).toBe(`${JSON.stringify({ role: "summary", text: summary })}\n`);
    expect(agent.events().slice(-4)).toEqual(["start", "compact", "compacted", "exit"]);

    const asked = await agent.run(resumed, "what did I ask you to remember?");
    expect(events(asked).at(-1)).toMatchObject({ text: "APPLE-739" });
  });

  test("is compacted without a focus, and only if it exists", async () => {
    using agent = new AgentHome();
    await agent.run(newSession, "echo on");
    expect((await agent.run([...resumed, "--compact"], "")).code).toBe(0);
    expect(agent.session(id)).toContain('"Summary of 2 items."');
    expect((await agent.run(["--session-id", other, "--compact"], "")).code).toBe(2);
  });

  test("that does not exist is refused on standard error alone", async () => {
    using agent = new AgentHome();
    const run = await agent.run(["--resume", other], "hello");
    expect(run).toMatchObject({ code: 1, stderr: `No session found with id ${other}\n` });
    expect(run.stdout).toHaveLength(0);
    expect(agent.events()).toEqual(["start", "exit"]);
  });

  test("is not started a second time under its id", async () => {
    using agent = new AgentHome();
    await agent.run(newSession, "hello");
    const run = await agent.run(newSession, "hello");
    expect(run).toMatchObject({ code: 1, stderr: `Session id ${id} is already in use\n` });
    expect(run.stdout).toHaveLength(0);
  });

  test("takes a prompt of eight mebibytes", async () => {
    using agent = new AgentHome();
    const prompt = `${"x".repeat(8 * 1024 * 1024 - 8)}\necho ok`;
    const run = await agent.run(newSession, prompt);
    expect(events(run).at(-1)).toMatchObject({ ok: true, text: "ok" });
    expect(agent.ledger()[1]?.prompt).toBe(prompt);
  });
});

describe("expansion", () => {
  test("without --literal /clear resets the session and @path inserts the file", async () => {
    using agent = new AgentHome();
    writeFileSync(agent.path("secret.txt"), "the secret");
    await agent.run(newSession, "remember X");
    await agent.run(resumed, "/clear\nlook at @secret.txt");
    expect(agent.events()).toContain("reset");
    const model = agent.ledger().findLast(({ event }) => event === "model");
    expect(model).toMatchObject({ history: 0 });
    expect(model?.prompt).toContain("the secret");
  });

  test("with --literal both are text", async () => {
    using agent = new AgentHome();
    writeFileSync(agent.path("secret.txt"), "the secret");
    const prompt = "/clear\nlook at @secret.txt";
    await agent.run(newSession, "remember X");
    await agent.run([...resumed, "--literal"], prompt);
    expect(agent.events()).not.toContain("reset");
    const model = agent.ledger().findLast(({ event }) => event === "model");
    expect(model).toMatchObject({ history: 2, prompt });
  });
});

describe("flags", () => {
  test("--version and --help, which a script can change", async () => {
    using agent = new AgentHome();
    const script = ["--script", agent.script({ product: "fork", version: "9", abilities: [] })];
    const print = async (flags: string[]) => (await agent.run(flags, "")).stdout.toString();
    expect(await print(["--version"])).toBe("scripted 1.0.0\n");
    expect(await print(["--version", ...script])).toBe("fork 9\n");
    expect(await print(["--help"])).toContain("--resume ID");
    expect(await print(["--help", ...script])).not.toContain("--resume");
    expect(existsSync(agent.home)).toBe(false);
  });

  test.for([
    [["--bogus"], "Unknown option '--bogus'"],
    [[], "Give either --session-id or --resume"],
    [["--session-id", id, "--resume", id], "Give either --session-id or --resume"],
    [["--session-id", "../escape"], '"../escape" is not a session id'],
  ] as const)("%j are refused with exit code 2", async ([flags, sentence]) => {
    using agent = new AgentHome();
    const run = await agent.run(flags, "hello");
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(sentence);
    expect(run.stdout).toHaveLength(0);
  });

  test("an agent that cannot resume does not know --resume", async () => {
    using agent = new AgentHome();
    const script = agent.script({ abilities: [] });
    const run = await agent.run([...resumed, "--script", script], "hello");
    expect(run).toMatchObject({ code: 2, stderr: "Unknown option '--resume'\n" });
  });
});
