import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startGeminiServer } from "./gemini-content.ts";
import type { Answer } from "./model.ts";
import type { ModelServer } from "./server.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startGeminiServer();
});
afterEach(() => server.close());

const said = (role: string, ...texts: string[]) => ({
  role,
  parts: texts.map((text) => ({ text })),
});
const hello = [said("user", "echo hello")];
const ask = (contents: readonly object[], more: object = {}, method = "streamGenerateContent") =>
  fetch(`${server.url}/v1beta/models/m:${method}?alt=sse`, {
    method: "POST",
    body: JSON.stringify({ contents, ...more }),
  });
// biome-ignore lint/suspicious/noExplicitAny: events of a foreign protocol
const events = (text: string): any[] =>
  text
    .split("\r\n\r\n")
    .filter((block) => block !== "")
    .map((block) => JSON.parse(/^data: (.*)$/m.exec(block)![1]!));
const answered = async (contents: readonly object[], more: object = {}) =>
  events(await (await ask(contents, more)).text());

describe("answers", () => {
  test("streams an answer with its usage and logs the request", async () => {
    const context = "<session_context>\nToday is a day.\n</session_context>";
    const [got, ...others] = await answered([said("user", context, "echo hello")], {
      systemInstruction: said("user", "Be brief."),
    });
    expect(others).toEqual([]);
    expect(got.candidates).toEqual([
      { index: 0, content: said("model", "hello"), finishReason: "STOP" },
    ]);
    expect(got.usageMetadata.promptTokenCount).toBeGreaterThan(0);
    expect(server.requests[0]).toMatchObject({
      number: 1,
      path: "/v1beta/models/m:streamGenerateContent?alt=sse",
      messages: [
        { role: "system", text: "Be brief." },
        { role: "user", text: "echo hello" },
      ],
    });
  });

  test("an answer that is not streamed comes whole", async () => {
    const response = await ask(hello, {}, "generateContent");
    expect(await response.json()).toMatchObject({
      candidates: [{ content: said("model", "hello") }],
    });
  });

  test("the beginning that an earlier request shares is cached", async () => {
    const usage = async (contents: readonly object[]) =>
      (await answered(contents))[0].usageMetadata;
    const first = await usage(hello);
    expect(first.cachedContentTokenCount).toBe(0);
    const second = await usage([...hello, said("model", "hello"), said("user", "again")]);
    expect(Math.abs(second.cachedContentTokenCount - first.promptTokenCount)).toBeLessThan(2);
  });

  test("calls one or several tools, and sees what they printed", async () => {
    const [ran] = await answered([said("user", "run ls")]);
    const [part] = ran.candidates[0].content.parts;
    expect(part.functionCall).toMatchObject({ name: "run_shell_command", args: { command: "ls" } });
    server.answerWith({
      calls: [
        { tool: "glob", input: { pattern: "*" } },
        { tool: "b", input: {} },
      ],
    });
    const [both] = await answered(hello);
    expect(both.candidates[0].content.parts).toMatchObject([
      { functionCall: { name: "glob" } },
      { functionCall: { name: "b" } },
    ]);
    const output = "<untrusted_context>\nOutput: a\nb\nProcess Group PGID: 7\n</untrusted_context>";
    const result = {
      functionResponse: { id: "1", name: "run_shell_command", response: { output } },
    };
    const [after] = await answered([said("user", "run ls"), { role: "user", parts: [result] }]);
    expect(after.candidates[0].content).toEqual(said("model", "It said: a\nb"));
  });

  test.each<[Answer, number, object]>([
    [{ refuse: "bad-request" }, 400, { status: "INVALID_ARGUMENT" }],
    [{ refuse: "invalid-history" }, 400, { message: expect.stringMatching(/function call turn/) }],
    [{ refuse: "overflow" }, 400, { message: expect.stringMatching(/^The input token count/) }],
    [{ refuse: "unauthorized" }, 401, { status: "UNAUTHENTICATED" }],
    [{ refuse: "rate-limit" }, 429, { status: "RESOURCE_EXHAUSTED" }],
    [{ refuse: "quota" }, 429, { details: [{ violations: [{}] }] }],
    [
      { refuse: "quota", resetsAt: 4_000_000_000 },
      429,
      { details: [{ retryDelay: expect.stringMatching(/^\d{9,}s$/) }] },
    ],
    [{ refuse: "server-error", message: "Oh." }, 500, { message: "Oh." }],
    [{ refuse: "overloaded" }, 503, { status: "UNAVAILABLE" }],
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
    (await arriving).release();
    expect(await response.text()).toContain("late");
  });

  test("a response is cut in the middle", async () => {
    server.answerWith({ dropped: "half an ans" });
    await expect((await ask(hello)).text()).rejects.toThrow();
  });

  test("an endless answer ends when the agent hangs up", async () => {
    server.answerWith({ endless: "and so on " });
    const response = await ask(hello);
    const reader = response.body!.getReader();
    for (let part = 0; part < 3; part += 1) await reader.read();
    await reader.cancel();
    expect(await server.requests[0]!.ended).toBe("hung-up");
  });
});
