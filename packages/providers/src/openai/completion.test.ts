import { describe, expect, test } from "vitest";
import { AnswerCut, ErrorInAnswer, NotACompletion, readCompletion } from "./completion.ts";
import { serverEvents } from "./server-events.ts";

const stream = (pieces: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
const bytes = (text: string) => new TextEncoder().encode(text);
const eventsIn = async (text: string, size = 1) => {
  const all = bytes(text);
  const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.subarray(index * size, (index + 1) * size),
  );
  const events: string[] = [];
  for await (const event of serverEvents(stream(pieces))) events.push(event);
  return events;
};

describe("C18/openai: server-sent events", () => {
  test.each([1, 2, 3, 7, 1000])("in pieces of %i bytes", async (size) => {
    const text =
      ': hello\r\ndata: {"a":"é字"}\r\n\r\nevent: x\ndata:one\ndata: two\n\ndata: [DONE]\n\n';
    expect(await eventsIn(text, size)).toEqual(['{"a":"é字"}', "one\ntwo", "[DONE]"]);
  });

  test("the last one may lack its empty line", async () => {
    expect(await eventsIn("data: one\n\ndata: two")).toEqual(["one", "two"]);
  });
});

const event = (choice: object, more: object = {}) =>
  `data: ${JSON.stringify({ model: "gpt-x", choices: [choice], ...more })}\n\n`;
const streamed = (...parts: string[]) =>
  new Response(parts.join(""), { headers: { "content-type": "text/event-stream; charset=utf-8" } });
const json = (body: unknown) => Response.json(body);
const read = async (response: Response) => {
  const texts: string[] = [];
  const completion = await readCompletion(response, (text) => texts.push(text));
  return { ...completion, texts };
};
const stop = event({ delta: {}, finish_reason: "stop" });

describe("an answer", () => {
  test("comes piece by piece, with its usage and model", async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 7,
      prompt_tokens_details: { cached_tokens: 60 },
    };
    const answer = await read(
      streamed(
        event({ delta: { role: "assistant", content: "" } }),
        event({ delta: { content: "Hel" } }),
        event({ delta: { content: [{ type: "text", text: "lo" }], reasoning_content: "Hm." } }),
        stop,
        `data: ${JSON.stringify({ choices: [], usage })}\n\n`,
        "data: [DONE]\n\n",
      ),
    );
    expect(answer).toMatchObject({ text: "Hello", texts: ["Hel", "lo"], model: "gpt-x" });
    expect(answer).toMatchObject({ finish: "stop", calls: [], refusal: "" });
    expect(answer.usage).toEqual({ cachedRead: 60, cachedWrite: null, uncached: 40, output: 7 });
  });

  test("may come whole, from a service that does not stream", async () => {
    const message = { role: "assistant", content: "Hello" };
    const answer = await read(json({ choices: [{ message, finish_reason: "stop" }] }));
    expect(answer).toMatchObject({ text: "Hello", texts: ["Hello"], usage: null, model: null });
  });

  test("puts calls together from their pieces", async () => {
    const piece = (index: number, call: object) =>
      event({ delta: { tool_calls: [{ index, ...call }] } });
    const { calls } = await read(
      streamed(
        piece(0, { id: "a", function: { name: "ls", arguments: "" } }),
        piece(1, { id: "b", function: { name: "cat", arguments: "{}" } }),
        piece(0, { function: { arguments: '{"path":' } }),
        piece(0, { function: { arguments: '"."}' } }),
        event({ delta: {}, finish_reason: "tool_calls" }),
      ),
    );
    expect(calls).toEqual([
      { id: "a", name: "ls", arguments: '{"path":"."}' },
      { id: "b", name: "cat", arguments: "{}" },
    ]);
  });

  test("ends without [DONE] if the service gave a reason", async () => {
    expect(await read(streamed(event({ delta: { content: "Yes." } }), stop))).toMatchObject({
      text: "Yes.",
    });
  });

  test("is cut if the stream ends in the middle", async () => {
    const cut = read(streamed(event({ delta: { content: "I was about to" } })));
    await expect(cut).rejects.toBeInstanceOf(AnswerCut);
  });

  test("may have an error in it", async () => {
    const error = { message: "Overloaded", code: 529 };
    const broken = read(
      streamed(event({ delta: { content: "I" } }), `data: ${JSON.stringify({ error })}\n\n`),
    );
    await expect(broken).rejects.toBeInstanceOf(ErrorInAnswer);
    await expect(read(json({ error }))).rejects.toMatchObject({ body: error });
  });

  test("is not a page, nor other JSON", async () => {
    const page = new Response("<html></html>", { headers: { "content-type": "text/html" } });
    await expect(read(page)).rejects.toBeInstanceOf(NotACompletion);
    await expect(read(json("<html></html>"))).rejects.toBeInstanceOf(NotACompletion);
    await expect(read(json({ hello: 1 }))).rejects.toBeInstanceOf(NotACompletion);
  });
});
