import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Answer } from "./model.ts";
import { startChatServer } from "./openai-chat.ts";
import type { ModelServer } from "./server.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startChatServer();
});
afterEach(() => server.close());

const hello = [{ role: "user", content: "echo hello" }];
const ask = (messages: readonly object[], more: object = {}) =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, messages, ...more }),
  });
// biome-ignore lint/suspicious/noExplicitAny: events of a foreign protocol
const events = (text: string): any[] =>
  text
    .split("\n\n")
    .filter((block) => block !== "" && block !== "data: [DONE]")
    .map((block) => JSON.parse(/^data: (.*)$/m.exec(block)![1]!));
const answered = async (messages: readonly object[], more: object = {}) =>
  events(await (await ask(messages, more)).text());

describe("answers", () => {
  test("streams a message with its usage and logs the request", async () => {
    const body = await (await ask([{ role: "system", content: "Be brief." }, ...hello])).text();
    expect(body).toMatch(/\ndata: \[DONE\]\n\n$/);
    const got = events(body);
    expect(got.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: "assistant", content: "" },
      { content: "hello" },
      {},
      undefined,
    ]);
    expect(got[2].choices[0].finish_reason).toBe("stop");
    expect(got[3].usage.prompt_tokens).toBeGreaterThan(0);
    expect(server.requests[0]).toMatchObject({
      number: 1,
      path: "/v1/chat/completions",
      body: { model: "m" },
      messages: [
        { role: "system", text: "Be brief." },
        { role: "user", text: "echo hello" },
      ],
    });
  });

  test("an answer that is not streamed comes whole", async () => {
    const parts = [{ role: "user", content: [{ type: "text", text: "echo hello" }] }];
    expect(await (await ask(parts, { stream: false })).json()).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
    });
  });

  test("the beginning that an earlier request shares is read from the cache", async () => {
    const usage = async (messages: readonly object[]) => (await answered(messages)).at(-1).usage;
    const first = await usage(hello);
    expect(first.prompt_tokens_details.cached_tokens).toBe(0);
    const second = await usage([
      ...hello,
      { role: "assistant", content: "hello" },
      { role: "user", content: "again" },
    ]);
    expect(second.prompt_tokens).toBeGreaterThan(first.prompt_tokens);
    const { cached_tokens: cached } = second.prompt_tokens_details;
    expect(Math.abs(cached - first.prompt_tokens)).toBeLessThan(2);
  });

  test("calls one or several tools, and sees their results", async () => {
    const question = { tool: "ask", input: { questions: [] } };
    server.answerWith({ calls: [question, { tool: "shell", input: { command: "ls" } }] });
    const [, both, end] = await answered(hello);
    expect(both.choices[0].delta.tool_calls).toMatchObject([
      { index: 0, type: "function", function: { name: "ask", arguments: '{"questions":[]}' } },
      { index: 1, function: { name: "shell" } },
    ]);
    expect(end.choices[0].finish_reason).toBe("tool_calls");
    const [, ran] = await answered([{ role: "user", content: "run ls" }]);
    const [call] = ran.choices[0].delta.tool_calls;
    const [, after] = await answered([
      { role: "user", content: "run ls" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: "a.txt" },
    ]);
    expect(after.choices[0].delta.content).toBe("It said: a.txt");
  });

  test.each<[Answer, number, object]>([
    [{ refuse: "bad-request" }, 400, { code: "invalid_value" }],
    [{ refuse: "invalid-history" }, 400, { param: "messages.[1].content" }],
    [{ refuse: "overflow" }, 400, { code: "context_length_exceeded" }],
    [{ refuse: "unauthorized" }, 401, { code: "invalid_api_key" }],
    [{ refuse: "rate-limit" }, 429, { code: "rate_limit_exceeded" }],
    [{ refuse: "server-error", message: "Oh." }, 500, { message: "Oh." }],
    [{ refuse: "overloaded" }, 503, { type: "server_error" }],
    [{ status: 418, body: { error: { teapot: true } } }, 418, { teapot: true }],
  ])("%j", async (answer, status, error) => {
    server.answerWith(answer);
    const response = await ask(hello);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error });
  });

  test("a limit says when it is reset", async () => {
    server.answerWith({ refuse: "quota", resetsAt: 1_900_000_000 });
    const { headers } = await ask(hello);
    expect(headers.get("retry-after")).toBe("Sun, 17 Mar 2030 17:46:40 GMT");
  });

  test("a response is cut in the middle, whether streamed or not", async () => {
    server.answerWith({ dropped: "half an ans" }, { dropped: "half an ans" });
    await expect((await ask(hello)).text()).rejects.toThrow();
    await expect(ask(hello, { stream: false })).rejects.toThrow();
  });
});
