import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Answer } from "./model.ts";
import { startResponsesServer } from "./openai-responses.ts";
import type { ModelServer } from "./server.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startResponsesServer();
});
afterEach(() => server.close());

const message = (role: string, text: string) => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
});
const ask = (input: readonly object[], more: object = {}, signal: AbortSignal | null = null) =>
  fetch(`${server.url}/v1/responses`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, input, prompt_cache_key: "k", ...more }),
    signal,
  });
// biome-ignore lint/suspicious/noExplicitAny: events of a foreign protocol
const events = (text: string): any[] =>
  text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => JSON.parse(/^data: (.*)$/m.exec(block)![1]!));
const hello = [message("user", "echo hello")];

describe("answers", () => {
  test("streams a message with its usage and logs the request", async () => {
    const context = message("user", "<environment_context>…</environment_context>");
    const got = events(
      await (await ask([message("developer", "Be brief."), context, ...hello])).text(),
    );
    expect(got.map(({ type }) => type)).toEqual([
      "response.created",
      "response.output_item.added",
      "response.output_text.delta",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(got[3].item.content).toEqual([{ type: "output_text", text: "hello" }]);
    expect(got[4].response.usage.input_tokens).toBeGreaterThan(0);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      number: 1,
      path: "/v1/responses",
      body: { model: "m" },
    });
    expect(server.requests[0]!.messages).toEqual([
      { role: "system", text: "Be brief." },
      { role: "user", text: "echo hello" },
    ]);
  });

  test("the beginning that the previous request shares is cached, under the same key only", async () => {
    const usage = async (input: readonly object[], key: string) =>
      events(await (await ask(input, { prompt_cache_key: key })).text()).at(-1).response.usage;
    const first = await usage(hello, "a");
    expect(first.input_tokens_details.cached_tokens).toBe(0);
    const longer = [...hello, message("assistant", "hello"), message("user", "again")];
    const second = await usage(longer, "a");
    expect(second.input_tokens).toBeGreaterThan(first.input_tokens);
    expect(Math.abs(second.input_tokens_details.cached_tokens - first.input_tokens)).toBeLessThan(
      2,
    );
    expect((await usage(longer, "b")).input_tokens_details.cached_tokens).toBe(0);
  });

  test("calls the shell tool that the agent has", async () => {
    const item = async (tools: readonly object[]) =>
      events(await (await ask([message("user", "run ls")], { tools })).text())[1].item;
    expect(await item([{ type: "function", name: "exec_command" }])).toMatchObject({
      type: "function_call",
      name: "exec_command",
      arguments: '{"cmd":"ls"}',
    });
    expect(await item([])).toMatchObject({
      name: "shell",
      arguments: '{"command":["sh","-c","ls"]}',
    });
  });

  test("answers are taken in order, then the model, then the remembering one", async () => {
    server.answerWith({ text: "one" }, { refuse: "rate-limit" });
    server.answerWith(({ number }) => (number === 3 ? { text: "three" } : undefined));
    const text = async () => events(await (await ask(hello)).text())[3].item.content[0].text;
    expect(await text()).toBe("one");
    expect((await ask(hello)).status).toBe(429);
    expect(await text()).toBe("three");
    expect(await text()).toBe("hello");
  });

  test.each<[Answer, number, object]>([
    [{ refuse: "bad-request" }, 400, { type: "invalid_request_error" }],
    [{ refuse: "invalid-history" }, 400, { code: "invalid_encrypted_content" }],
    [{ refuse: "overflow" }, 400, { code: "context_length_exceeded" }],
    [{ refuse: "unauthorized" }, 401, { code: "invalid_api_key" }],
    [{ refuse: "quota", resetsAt: 1_800_000_000 }, 429, { resets_at: 1_800_000_000 }],
    [{ refuse: "server-error", message: "Oh." }, 500, { message: "Oh." }],
    [{ refuse: "overloaded" }, 503, { code: "server_is_overloaded" }],
    [{ status: 418, body: { error: { teapot: true } } }, 418, { teapot: true }],
  ])("%j", async (answer, status, error) => {
    server.answerWith(answer);
    const response = await ask(hello);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error });
  });
});

describe("connections", () => {
  test("a held answer waits until it is released", async () => {
    server.answerWith({ text: "late", held: true });
    const arriving = server.nextRequest();
    const response = await ask(hello);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain("response.created");
    const request = await arriving;
    request.release();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value;
    expect(rest).toContain("late");
    expect(await request.ended).toBe("answered");
  });

  test("requests are awaited in order, before or after they arrive", async () => {
    await (await ask(hello)).text();
    const [first, second] = [server.nextRequest(), server.nextRequest()];
    await (await ask(hello)).text();
    expect([(await first).number, (await second).number]).toEqual([1, 2]);
  });

  test("a stream is cut in the middle", async () => {
    server.answerWith({ dropped: "half an ans" });
    const response = await ask(hello);
    await expect(response.text()).rejects.toThrow();
  });

  test("an endless stream ends when the agent hangs up", async () => {
    server.answerWith({ endless: "and so on " });
    const hangUp = new AbortController();
    const response = await ask(hello, {}, hangUp.signal);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let deltas = 0;
    while (deltas < 3)
      deltas += (await reader.read()).value!.split("output_text.delta").length > 1 ? 1 : 0;
    hangUp.abort();
    expect(await server.requests[0]!.ended).toBe("hung-up");
  });

  test("any other path is a 404", async () => {
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(404);
    expect(server.requests).toEqual([]);
  });
});
