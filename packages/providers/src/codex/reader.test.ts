import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reader } from "./reader.ts";

const noon = () => new Date("2026-11-15T12:00:00");
const read = (lines: readonly object[], exit = { code: 0, stderr: "" }) => {
  const { line, end } = reader(noon);
  return [...lines.flatMap((event) => line(JSON.stringify(event))), ...end(exit)];
};
const failed = (message: string) =>
  read([{ type: "turn.failed", error: { message } }], { code: 1, stderr: "" });
const refused = (stderr: string) => read([], { code: 1, stderr });

describe("reader", () => {
  test("a recorded turn with a tool", () => {
    const recorded = readFileSync(join(import.meta.dirname, "fixtures/tool-turn.jsonl"), "utf8");
    const { line, end } = reader();
    const events = recorded.split("\n").flatMap((text) => line(text));
    expect(events.map(({ type }) => type)).toEqual([
      "session",
      "note",
      "tool",
      "text",
      "usage",
      "result",
    ]);
    expect(events).toContainEqual({ type: "session", id: "01a1de99-16e5-71d2-b5e3-1d85356f7723" });
    expect(events).toContainEqual({ type: "tool", name: "command_execution" });
    expect(events).toContainEqual({
      type: "usage",
      usage: { cachedRead: 18962, cachedWrite: 0, uncached: 28559 - 18962, output: 114 },
    });
    expect(events.at(-1)).toEqual({ type: "result", text: expect.stringContaining("hi") });
    expect(end({ code: 0, stderr: "" })).toEqual([]);
  });

  test("the last message is the answer", () => {
    const message = (id: string, text: string) => ({
      type: "item.completed",
      item: { id, type: "agent_message", text },
    });
    const events = read([
      message("item_0", "I will look."),
      { type: "item.completed", item: { id: "item_1", type: "file_change", changes: [] } },
      message("item_2", "Done."),
      { type: "turn.completed" },
    ]);
    expect(events).toEqual([
      { type: "text", text: "I will look." },
      { type: "tool", name: "file_change" },
      { type: "text", text: "Done." },
      { type: "result", text: "Done." },
    ]);
  });

  test("reconnecting, error items and noise are not failures", () => {
    const { line } = reader();
    expect(line("Reading prompt from stdin...")).toEqual([]);
    expect(line('{"type":"turn.com')).toEqual([]);
    const events = read([
      { type: "error", message: "Reconnecting... 5/5 (unexpected status 500)" },
      { type: "item.completed", item: { id: "0", type: "error", message: "No metadata." } },
      { type: "turn.completed" },
    ]);
    expect(events.map(({ type }) => type)).toEqual(["note", "note", "result"]);
  });

  test("an answer that quotes a failure is an answer", () => {
    const text = "Error: thread/resume failed: no rollout found; context_length_exceeded; 429";
    const answer = { type: "item.completed", item: { id: "0", type: "agent_message", text } };
    const events = read([answer, { type: "turn.completed" }], { code: 0, stderr: `${text}\n` });
    expect(events.some(({ type }) => type === "failure")).toBe(false);
  });

  test.each([
    ["exceeded retry limit, last status: 429 Too Many Requests", "transient"],
    ["rate limit exceeded: Rate limit reached. Please try again in 11.054s", "transient"],
    ["unexpected status 500 Internal Server Error: , url: http://127.0.0.1/v1", "transient"],
    ["stream disconnected before completion: Transport error: network error", "transient"],
    ["Connection failed: error sending request", "transient"],
    ["Selected model is at capacity. Please try a different model.", "transient"],
    ["unexpected status 401 Unauthorized: Incorrect API key provided.", "login"],
    ["Missing environment variable: `FAKE_KEY`.", "login"],
    ["Quota exceeded. Check your plan and billing details.", "quota"],
    ["You’ve hit your usage limit. Try again later.", "quota"],
    ["Codex ran out of room in the model's context window. Start a new thread.", "poisoned"],
    ['{"error":{"code":"context_length_exceeded","message":"Too long."}}', "poisoned"],
    ['{"error":{"code":"invalid_encrypted_content","message":"Not verified."}}', "poisoned"],
    ['{"error":{"message":"No tool output found for function call call_1."}}', "poisoned"],
    ['{"error":{"message":"Invalid image.","param":"input[4].content[0]"}}', "poisoned"],
    ['{"error":{"message":"The model does not exist.","param":"model"}}', "request"],
    ["The 'x' model is not supported when using Codex with a ChatGPT account.", "request"],
    ['unexpected status 403 Forbidden: "<!DOCTYPE html><title>Portal</title>", url: x', "request"],
    ["Invalid prompt: it was flagged as potentially violating our usage policy.", "request"],
    ["Invalid prompt: x", "unknown"],
    ["", "unknown"],
  ])("%s is %s", (message, kind) => {
    expect(failed(message)).toEqual([
      { type: "failure", failure: expect.objectContaining({ kind }) },
    ]);
  });

  test("a limit has its reset time, in local time", () => {
    const [later] = failed("You’ve hit your usage limit or try again at Nov 16th, 2026 3:35 PM.");
    const [today] = failed("You’ve hit your usage limit. Try again at 3:05 PM.");
    expect(later).toMatchObject({ failure: { resetAt: Date.parse("2026-11-16T15:36:00") } });
    expect(today).toMatchObject({ failure: { resetAt: Date.parse("2026-11-15T15:06:00") } });
  });

  test.each([
    [
      "thread/resume: thread/resume failed: no rollout found for thread id x (code -32600)",
      "missing",
    ],
    ["thread/resume: thread/resume failed: failed to read thread: internal error", "missing"],
    [
      "thread/resume: thread/resume failed: list_turns is not supported yet (code -32601)",
      "missing",
    ],
    ["session x is archived. Run codex unarchive x", "missing"],
    ["thread/resume failed: thread x already has an active writer (code -32600)", "writer"],
    ["turn/start: turn/start failed: Input exceeds the maximum length", "unknown"],
  ])("without a turn, %s is %s", (line, kind) => {
    const warned = `WARNING: no rollout found\nError: ${line}\nmore\n`;
    expect(refused(warned)).toEqual([{ type: "failure", failure: { kind, message: line } }]);
  });

  test("an exit without output is unknown, a signal is not a failure", () => {
    expect(refused("Not inside a trusted directory.\n")).toEqual([
      { type: "failure", failure: { kind: "unknown", message: "Not inside a trusted directory." } },
    ]);
    expect(refused("")).toEqual([
      { type: "failure", failure: { kind: "unknown", message: "exit code 1" } },
    ]);
    expect(read([], { code: 137, stderr: "Error: no rollout found\n" })).toEqual([]);
    expect(reader().end({ code: null, stderr: "" })).toEqual([]);
  });
});
