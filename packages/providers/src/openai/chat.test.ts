import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { bridgePath } from "../define-provider.ts";
import { jsonLine } from "../files.ts";
import { startChatServer } from "../models/openai-chat.ts";
import type { ModelServer } from "../models/server.ts";
import { chatBridge } from "./bridge.ts";
import { stateName, stateText } from "./state.ts";

const id = "11111111-1111-4111-8111-111111111111";
const key = "sk-a-key-of-tests";

let server: ModelServer;
let home: string;
beforeEach(async () => {
  server = await startChatServer();
  home = temporaryFolder("openai-chat");
});
afterEach(() => server.close());

interface Options {
  readonly address?: string;
  readonly flags?: readonly string[];
  readonly env?: Record<string, string>;
}

function start(
  prompt: string,
  session: string,
  { address = `${server.url}/v1`, flags = ["--model=m"], env = {} }: Options = {},
) {
  const argv = [bridgePath(chatBridge), `--home=${home}`, session, `--base-url=${address}`];
  const child = spawn(process.execPath, [...argv, ...flags], {
    env: { PATH: process.env.PATH, OPENAI_API_KEY: key, ...env },
  });
  child.stdin.on("error", () => {}).end(prompt);
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const said = Promise.all([text(child.stdout), text(child.stderr), closed]);
  const ended = said.then(([stdout, stderr, code]) => ({
    code,
    stdout,
    stderr,
    // biome-ignore lint/suspicious/noExplicitAny: lines of the bridge, looked into by tests
    events: stdout.split("\n").slice(0, -1).map(jsonLine) as any[],
  }));
  return { child, ended };
}
const begin = (prompt: string, options?: Options) =>
  start(prompt, `--session-id=${id}`, options).ended;
const resume = (prompt: string, options?: Options) =>
  start(prompt, `--resume=${id}`, options).ended;
const state = () => readFileSync(join(home, stateName(id)), "utf8");
const failure = async (turn: ReturnType<typeof resume>) => {
  const { events, code } = await turn;
  expect(code).toBe(1);
  return events.at(-1).failure;
};

/** A service that answers as the test says. */
async function service(answer: RequestListener): Promise<string> {
  const other = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((listening) => other.once("listening", listening));
  onTestFinished(() => void other.close());
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1`;
}

describe("a turn", () => {
  test("is continued by another process, and the model gets the whole conversation", async () => {
    const first = await begin("remember APPLE-739");
    expect(first.code).toBe(0);
    expect(first.events.map(({ type }) => type)).toEqual([
      "session",
      "text",
      "model",
      "usage",
      "result",
    ]);
    const second = await resume("what did I ask you to remember?");
    expect(second.events.at(-1)).toEqual({ type: "result", text: "APPLE-739" });
    expect(server.requests[1]!.body.messages).toEqual([
      { role: "user", content: "remember APPLE-739" },
      { role: "assistant", content: "I will remember APPLE-739." },
      { role: "user", content: "what did I ask you to remember?" },
    ]);
    const { headers } = server.requests[1]!;
    expect(headers).toMatchObject({ authorization: `Bearer ${key}`, "x-session-id": id });
    expect(readdirSync(join(home, "sessions"))).toEqual([`${id}.jsonl`]);
  });

  test("C18/openai: prints the answer as it comes", async () => {
    server.answerWith({ endless: "and so on " });
    const { child, ended } = start("hello", `--session-id=${id}`);
    let printed = "";
    await new Promise<void>((seen) =>
      child.stdout.on("data", (data) => {
        printed += data;
        if (printed.split('"text":"and so on "').length > 3) seen();
      }),
    );
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: null });
    expect(await server.requests[0]!.ended).toBe("hung-up");
    expect(readdirSync(home)).toEqual([]);
  });

  test("that asks for a tool gets the answer that there is none, and the denial is shown", async () => {
    const { events } = await begin("run ls");
    expect(events).toContainEqual({
      type: "denied",
      id: expect.any(String),
      tool: "shell",
      detail: '{"command":"ls"}',
    });
    expect(events.at(-1).text).toMatch(/^It said: There are no tools/);
    const [one, two] = server.requests.map(({ usage }) => usage.input);
    const { usage } = events.findLast(({ type }) => type === "usage");
    expect(usage.cachedRead + usage.uncached).toBe(one! + two!);
    expect(await resume("echo on")).toMatchObject({ code: 0 });
    expect(server.requests[2]!.body.messages.map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });

  test("that never stops asking for tools ends", async () => {
    server.answerWith(() => ({ shell: "ls" }));
    expect(await failure(begin("hello"))).toMatchObject({ kind: "request" });
    expect(server.requests).toHaveLength(5);
  });

  test("without text is not an answer, and leaves the conversation as it was", async () => {
    await begin("remember APPLE-739");
    const before = state();
    server.answerWith({ text: "" });
    const { code, events } = await resume("hello");
    expect([code, events.at(-1)]).toEqual([0, { type: "result", text: "" }]);
    expect(state()).toBe(before);
  });

  test("sends the schema, the parameters and no more turns than fit", async () => {
    await begin(`remember ${"x".repeat(400)}`);
    const schema = join(home, "schema.json");
    writeFileSync(schema, '{"type":"object"}');
    const flags = ["--model=m", "--context-tokens=50", `--schema=${schema}`, "--param=seed=7"];
    const { events } = await resume("echo on", { flags });
    expect(events[1]).toMatchObject({
      type: "note",
      text: expect.stringMatching(/^The oldest turn was left out/),
    });
    expect(server.requests[1]!.body).toMatchObject({
      seed: 7,
      messages: [{ role: "user", content: "echo on" }],
      response_format: { type: "json_schema", json_schema: { schema: { type: "object" } } },
    });
    await resume("echo on", { flags: [...flags, "--schema-in-prompt"] });
    const { messages, response_format: format } = server.requests[2]!.body;
    expect(format).toBeUndefined();
    expect(messages.at(-1).content).toMatch(/^echo on\n\nReply with only JSON that conforms/);
  });
});

describe("a compaction", () => {
  const compact = (focus = "") => resume(focus, { flags: ["--model=m", "--compact"] });

  test("replaces the conversation by a summary, with which the next turn begins", async () => {
    await begin("remember APPLE-739");
    await resume("echo on");
    const { code, events } = await compact("the parser");
    expect(code).toBe(0);
    expect(events.at(-1).text).toContain("remember APPLE-739");
    const { messages } = server.requests[2]!.body;
    expect(messages).toHaveLength(5);
    expect(messages.at(-1).content).toMatch(/^You are about to forget .*\n\nthe parser$/s);
    const next = await resume("what did I ask you to remember?");
    expect(next.events.at(-1).text).toBe("APPLE-739");
    const [first, ...others] = server.requests[3]!.body.messages;
    expect(others).toEqual([]);
    expect(first.content).toMatch(/^A summary of the conversation so far:\n\n/);
    await compact();
    expect(state().split("\n")).toHaveLength(3);
    expect(state()).toContain("remember APPLE-739");
  });

  test("of a conversation that is too long leaves out its older half, until it fits", async () => {
    for (const turn of ["one", "two", "three", "four"])
      await (turn === "one" ? begin : resume)(`echo ${turn}`);
    server.answerWith({ refuse: "overflow" }, { refuse: "overflow" });
    const { code, events } = await compact();
    expect(code).toBe(0);
    expect(events.filter(({ type }) => type === "note")).toHaveLength(2);
    expect(server.requests.slice(4).map(({ body }) => body.messages.length)).toEqual([9, 5, 3]);
  });

  test("that does not fit at all says so, and changes nothing", async () => {
    await begin("echo one");
    const before = state();
    server.answerWith(() => ({ refuse: "overflow" }));
    expect(await failure(compact())).toMatchObject({ overflow: true, exhausted: true });
    server.answerWith(() => ({ text: "" }));
    expect(await failure(compact())).toMatchObject({ kind: "unknown" });
    expect(state()).toBe(before);
  });
});

describe("the state", () => {
  test("a conversation that is there is not begun, and one that is not is not continued", async () => {
    await begin("echo one");
    expect(await failure(begin("echo two"))).toMatchObject({ kind: "in-use" });
    const other = start("echo", `--resume=${id.replace("1", "2")}`).ended;
    expect(await failure(other)).toMatchObject({ kind: "missing" });
    expect(server.requests).toHaveLength(1);
  });

  test("a damaged one is not continued; one of a later version is left alone", async () => {
    await begin("echo one");
    const whole = state();
    writeFileSync(join(home, stateName(id)), whole.slice(0, -20));
    expect(await failure(resume("echo two"))).toMatchObject({ kind: "missing" });
    writeFileSync(join(home, stateName(id)), whole.replace('"version":1', '"version":2'));
    expect(await failure(resume("echo two"))).toMatchObject({ kind: "request" });
    expect(server.requests).toHaveLength(1);
  });

  test("tool calls without a result are not sent", async () => {
    mkdirSync(join(home, "sessions"));
    const calls = [{ id: "a", name: "ls", arguments: "{}" }];
    const messages = [
      { role: "user", content: "one" },
      { role: "assistant", content: "", calls },
    ] as const;
    writeFileSync(join(home, stateName(id)), stateText({ id, messages }));
    const { events } = await resume("echo on");
    expect(events[1]).toMatchObject({
      type: "note",
      text: expect.stringMatching(/without a counterpart/),
    });
    expect(server.requests[0]!.body.messages).toEqual([
      { role: "user", content: "one" },
      { role: "user", content: "echo on" },
    ]);
  });

  test("what another process wrote in the meantime is not overwritten", async () => {
    await begin("echo one");
    server.answerWith({ text: "late", held: true });
    const slow = resume("echo two");
    await server.nextRequest();
    const request = await server.nextRequest();
    await resume("echo three");
    const between = state();
    request.release();
    expect(await failure(slow)).toMatchObject({ kind: "writer" });
    expect(state()).toBe(between);
    expect(readdirSync(join(home, "sessions"))).toEqual([`${id}.jsonl`]);
  });

  test("a file that a killed process left beside it changes nothing", async () => {
    await begin("remember APPLE-739");
    writeFileSync(join(home, `${stateName(id)}.new`), state().slice(0, 50));
    const { events } = await resume("what did I ask you to remember?");
    expect(events.at(-1)).toEqual({ type: "result", text: "APPLE-739" });
  });
});

describe("failures", () => {
  test.each([
    ["rate-limit", "transient"],
    ["overloaded", "transient"],
    ["unauthorized", "login"],
    ["overflow", "poisoned"],
    ["invalid-history", "poisoned"],
    ["bad-request", "unknown"],
  ] as const)("%s is %s, and leaves the conversation as it was", async (refuse, kind) => {
    await begin("remember APPLE-739");
    const before = state();
    server.answerWith({ refuse });
    expect(await failure(resume("echo on"))).toMatchObject({ kind });
    expect(state()).toBe(before);
  });

  test("a quota passes on when it is reset", async () => {
    server.answerWith({ refuse: "quota", resetsAt: 1_900_000_000 });
    expect(await failure(begin("hello"))).toMatchObject({
      kind: "quota",
      resetAt: 1_900_000_000_000,
    });
  });

  test("a connection that is lost or refused is transient", async () => {
    server.answerWith({ dropped: "I was about to say" });
    expect(await failure(begin("hello"))).toMatchObject({ kind: "transient" });
    await server.close();
    const refused = await failure(begin("hello"));
    expect(refused).toMatchObject({
      kind: "transient",
      message: expect.stringMatching(/ECONNREFUSED/),
    });
    server = await startChatServer();
  });

  test("a page, a redirection and a wrong address are not passing failures", async () => {
    const page = await service((_, response) =>
      response.setHeader("content-type", "text/html").end("<html>Log in to this network</html>"),
    );
    expect(await failure(begin("hello", { address: page }))).toMatchObject({ kind: "request" });
    const elsewhere = await service((_, response) =>
      response.writeHead(302, { location: "http://127.0.0.1:9/login?next=1" }).end(),
    );
    expect(await failure(begin("hello", { address: elsewhere }))).toMatchObject({
      kind: "request",
      message: "the service redirects to http://127.0.0.1:9",
    });
    const wrong = await service((_, response) => response.writeHead(404).end("Not Found"));
    const { hint } = await failure(begin("hello", { address: wrong }));
    expect(hint).toContain("baseUrl");
  });

  test("the key is never printed, even if the service repeats it", async () => {
    const message = `Incorrect API key provided: ${key}.`;
    server.answerWith({ status: 401, body: { error: { message } } });
    const { stdout, stderr } = await begin("hello");
    expect(stdout + stderr).toContain("Incorrect API key provided: [redacted].");
    expect(stdout + stderr).not.toContain(key);
  });

  test("without a model, or without a key for OpenAI, nothing is sent", async () => {
    expect(await failure(begin("hello", { flags: [] }))).toMatchObject({
      kind: "request",
      message: "no model was named",
    });
    const keyless = begin("hello", {
      address: "https://api.openai.com/v1",
      env: { OPENAI_API_KEY: "" },
    });
    expect(await failure(keyless)).toMatchObject({ kind: "login" });
  });
});
