import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startAnthropicServer } from "./anthropic-messages.ts";
import type { Answer } from "./model.ts";
import type { ModelServer } from "./server.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startAnthropicServer();
});
afterEach(() => server.close());

const user = (...texts: string[]) => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text, cache_control: { type: "ephemeral" } })),
});
const hello = [user("echo hello")];
const ask = (messages: readonly object[], more: object = {}) =>
  fetch(`${server.url}/v1/messages?beta=true`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, messages, ...more }),
  });
// biome-ignore lint/suspicious/noExplicitAny: events of a foreign protocol
const events = (text: string): any[] =>
  text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => JSON.parse(/^data: (.*)$/m.exec(block)![1]!));
const answered = async (messages: readonly object[], more: object = {}) =>
  events(await (await ask(messages, more)).text());

describe("answers", () => {
  test("streams a message with its usage and logs the request", async () => {
    const context = "<system-reminder>\nToday is a day.\n</system-reminder>";
    const got = await answered([user(context, "echo hello")], {
      system: [{ type: "text", text: "Be brief." }],
    });
    expect(got.map(({ type }) => type)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(got[2].delta).toEqual({ type: "text_delta", text: "hello" });
    expect(got[4].delta.stop_reason).toBe("end_turn");
    expect(server.requests[0]).toMatchObject({
      number: 1,
      path: "/v1/messages?beta=true",
      body: { model: "m" },
      messages: [
        { role: "system", text: "Be brief." },
        { role: "user", text: "echo hello" },
      ],
    });
  });

  test("an answer that is not streamed comes whole", async () => {
    const response = await ask([{ role: "user", content: "echo hello" }], { stream: false });
    expect(await response.json()).toMatchObject({
      type: "message",
      content: [{ type: "text", text: "hello" }],
      stop_reason: "end_turn",
    });
  });

  test("the beginning that an earlier request shares is read from the cache, the rest is written", async () => {
    const usage = async (messages: readonly object[]) => (await answered(messages)).at(-2).usage;
    const first = await usage(hello);
    expect(first).toMatchObject({ input_tokens: 0, cache_read_input_tokens: 0 });
    await usage([user("something else")]);
    const second = await usage([...hello, { role: "assistant", content: "hello" }, user("again")]);
    const written = first.cache_creation_input_tokens;
    expect(Math.abs(second.cache_read_input_tokens - written)).toBeLessThan(2);
    expect(second.cache_creation_input_tokens).toBeGreaterThan(0);
  });

  test("calls one or several tools, and sees their results", async () => {
    const blocks = (got: { type: string; content_block?: object }[]) =>
      got.flatMap(({ content_block: block }) => (block ? [block] : []));
    const ran = await answered([user("run ls")]);
    expect(blocks(ran)).toMatchObject([{ type: "tool_use", name: "Bash", input: {} }]);
    expect(JSON.parse(ran[2].delta.partial_json)).toMatchObject({ command: "ls" });
    expect(ran.at(-2).delta.stop_reason).toBe("tool_use");

    const question = { tool: "AskUserQuestion", input: { questions: [] } };
    server.answerWith({ calls: [question, { tool: "Bash", input: { command: "ls" } }] });
    const both = await answered(hello);
    expect(blocks(both)).toMatchObject([{ name: "AskUserQuestion" }, { name: "Bash" }]);

    const result = { type: "tool_result", tool_use_id: "toolu_1", content: "a.txt" };
    const afterTool = await answered([user("run ls"), { role: "user", content: [result] }]);
    expect(afterTool[2].delta.text).toBe("It said: a.txt");
  });

  test.each<[Answer, number, object]>([
    [{ refuse: "bad-request" }, 400, { type: "invalid_request_error" }],
    [{ refuse: "invalid-history" }, 400, { message: expect.stringMatching(/^messages\.1\./) }],
    [{ refuse: "overflow" }, 400, { message: expect.stringMatching(/^prompt is too long/) }],
    [{ refuse: "unauthorized" }, 401, { type: "authentication_error" }],
    [{ refuse: "rate-limit" }, 429, { type: "rate_limit_error" }],
    [{ refuse: "server-error", message: "Oh." }, 500, { message: "Oh." }],
    [{ refuse: "overloaded" }, 529, { type: "overloaded_error" }],
    [
      { status: 413, body: { type: "error", error: { type: "request_too_large" } } },
      413,
      { type: "request_too_large" },
    ],
  ])("%j", async (answer, status, error) => {
    server.answerWith(answer);
    const response = await ask(hello);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: "error", error });
  });

  test("a limit says when it is reset", async () => {
    server.answerWith({ refuse: "quota", resetsAt: 1_900_000_000 });
    const { headers } = await ask(hello);
    expect(headers.get("anthropic-ratelimit-unified-reset")).toBe("1900000000");
  });

  test("a response is cut in the middle, whether streamed or not", async () => {
    server.answerWith({ dropped: "half an ans" }, { dropped: "half an ans" });
    await expect((await ask(hello)).text()).rejects.toThrow();
    await expect(ask(hello, { stream: false })).rejects.toThrow();
  });
});
