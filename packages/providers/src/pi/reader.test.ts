import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reader } from "./reader.ts";

const now = new Date("2026-11-19T18:00:00Z");
const read = (lines: readonly (object | string)[], exit = { code: 0, stderr: "" }) => {
  const { line, end } = reader(() => now);
  const words = lines.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  return [...words.flatMap((each) => line(each)), ...end(exit)];
};
const recorded = (name: string) =>
  readFileSync(join(import.meta.dirname, `fixtures/${name}.jsonl`), "utf8").split("\n");
const kinds = (events: { type: string }[]) => events.map(({ type }) => type);
const id = "7d1f6c52-3c0e-4a1b-9a55-2f8e0b6c41d3";

const settled = { type: "agent_settled", aborted: false };
const answer = (stopReason: string, more: object = {}) => ({
  type: "message_end",
  message: { role: "assistant", content: [], provider: "p", model: "m", stopReason, ...more },
});
const says = (words: string, stopReason = "stop") =>
  answer(stopReason, { content: [{ type: "text", text: words }] });
/** As pi words the failure of a request. */
const failed = (errorMessage: string) => read([answer("error", { errorMessage }), settled]).at(-1);
const service = (code: number, error: object) => `${code}: ${JSON.stringify(error)}`;

describe("reader", () => {
  test("a recorded turn with a command: usage is that of both requests", () => {
    const events = read(recorded("tool-turn"));
    expect(kinds(events)).toEqual(["session", "model", "tool", "text", "usage", "result"]);
    expect(events[0]).toEqual({ type: "session", id });
    expect(events[1]).toEqual({ type: "model", name: "loop/m1" });
    expect(events[2]).toEqual({ type: "tool", name: "bash" });
    const usages = recorded("tool-turn").flatMap((line) => {
      const { type, message } = JSON.parse(line || "{}");
      return type === "message_end" && message.role === "assistant" ? [message.usage] : [];
    });
    expect(usages).toHaveLength(2);
    const sum = (kind: string) => usages.reduce((all, usage) => all + usage[kind], 0);
    expect(events[4]).toEqual({
      type: "usage",
      usage: {
        ...{ cachedRead: sum("cacheRead"), cachedWrite: 0 },
        ...{ uncached: sum("input"), output: sum("output") },
      },
    });
    expect(events.at(-1)).toEqual({ type: "result", text: "It said: hi there" });
  });

  test("a recorded turn with three tools, two of which were denied", () => {
    const events = read(recorded("denied-turn"));
    expect(events.filter(({ type }) => type === "denied")).toEqual([
      { type: "denied", tool: "write", detail: "../denied.txt", id: "call_0002" },
      { type: "denied", tool: "bash", detail: "ls", id: "call_0003" },
    ]);
    expect(events.at(-1)).toEqual({ type: "result", text: "done" });
  });

  test("a recorded failure: pi exits with 0", () => {
    const events = read(recorded("failed-turn"));
    expect(kinds(events)).toEqual(["session", "model", "usage", "failure"]);
    expect(events.at(-1)).toMatchObject({ failure: { kind: "transient" } });
  });

  test("a recorded compaction", () => {
    const events = read(recorded("compacted"));
    expect(kinds(events)).toEqual(["session", "usage", "result"]);
    expect(events[1]).toMatchObject({ usage: { uncached: 461, output: 20 } });
  });

  test("a tool that does not exist is not denied, nor one that fails", () => {
    const use = (name: string, words: string) => [
      { type: "tool_execution_start", toolCallId: name, toolName: name, args: {} },
      {
        ...{ type: "tool_execution_end", toolCallId: name, toolName: name, isError: true },
        result: { content: [{ type: "text", text: words }] },
      },
    ];
    const events = read([
      ...use("made_up", "Tool made_up not found"),
      ...use("bash", "Denied by Reprise? No."),
    ]);
    expect(kinds(events).slice(0, -1)).toEqual(["tool", "tool"]);
  });

  test("what the last answer says counts, not a request that pi tried again", () => {
    const once = answer("error", { errorMessage: "terminated" });
    const events = read([once, { type: "auto_retry_start" }, says("fine"), settled]);
    expect(kinds(events)).toEqual(["model", "result"]);
    expect(events.at(-1)).toEqual({ type: "result", text: "fine" });
  });

  test("a cut-off answer is a result, and says so", () => {
    const events = read([says("half", "length"), settled]);
    expect(kinds(events)).toEqual(["model", "note", "result"]);
  });

  test("pi compacts by itself: a note, or with a failed turn the reason that it is exhausted", () => {
    const compacted = (more: object) => ({ type: "compaction_end", reason: "overflow", ...more });
    const overflow = answer("error", { errorMessage: "400 prompt is too long" });
    expect(kinds(read([says("x"), compacted({ result: {} }), settled]))).toEqual([
      ...["model", "note", "result"],
    ]);
    expect(read([overflow, compacted({ errorMessage: "no" }), settled]).at(-1)).toMatchObject({
      failure: { kind: "poisoned", overflow: true, exhausted: true },
    });
    expect(failed("400 prompt is too long")).not.toHaveProperty("failure.exhausted");
  });

  test("a compaction that was asked for and failed", () => {
    const errorMessage = "Compaction failed: Nothing to compact (session too small)";
    const line = { type: "compaction_end", reason: "manual", errorMessage };
    expect(read([line])).toEqual([
      {
        type: "failure",
        failure: {
          ...{ kind: "unknown", exhausted: true },
          message: "Nothing to compact (session too small)",
        },
      },
    ]);
    const later = { ...line, errorMessage: "Compaction failed: Summarization failed: 503: {}" };
    expect(read([later]).at(-1)).toMatchObject({ failure: { kind: "transient" } });
  });

  test("a signal is not a failure; an end without an answer is", () => {
    const session = { type: "session", id };
    expect(kinds(read([session], { code: 143, stderr: "" }))).toEqual(["session"]);
    expect(read([session]).at(-1)).toMatchObject({ failure: { kind: "transient" } });
    const question = "Session found in different project: /other";
    expect(read([question]).at(-1)).toMatchObject({ failure: { kind: "missing" } });
  });

  test("an answer may quote any failure", () => {
    const quoted = "No session found matching '1', 401: {}, Denied by Reprise:";
    expect(read([says(quoted), settled]).at(-1)).toEqual({ type: "result", text: quoted });
  });
});

describe("failures", () => {
  test.each([
    ["No session found matching '1'", "missing"],
    ["Error: Session file is not a valid pi session: /x", "missing"],
    ["Warning: a\nNo API key found for anthropic.\n\nUse /login", "login"],
    ["No models available. Use /login", "login"],
    ["No model selected.\n\nUse /login", "login"],
    ['Error: Model "nope" not found. Use --list-models', "request"],
    ["Stored session working directory does not exist: /x\nSession file: /y", "request"],
    ['Error: Failed to load extension "/x"', "unknown"],
  ])("before the turn: %j is %s", (stderr, kind) => {
    expect(read([], { code: 1, stderr }).at(-1)).toMatchObject({ failure: { kind } });
  });

  test.each([
    [service(401, { code: "invalid_api_key", message: "Incorrect API key provided." }), "login"],
    [service(403, { message: "no" }), "login"],
    [service(429, { code: "rate_limit_exceeded", message: "Rate limit reached." }), "transient"],
    [service(429, { code: "insufficient_quota", message: "You exceeded it." }), "quota"],
    ["You have hit your usage limit (plus plan). Try again in ~35 min.", "quota"],
    [service(500, { message: "The server had an error." }), "transient"],
    ["Connection error.", "transient"],
    ["terminated", "transient"],
    [service(400, { code: "context_length_exceeded", message: "Too long." }), "poisoned"],
    [service(400, { param: "messages.[1].content", message: "Expected a string." }), "poisoned"],
    [
      '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.1: `tool_use` ids"}}',
      "poisoned",
    ],
    [service(404, { code: "model_not_found", message: "The model does not exist." }), "request"],
    ["200 <!DOCTYPE html><html></html>", "request"],
    [service(400, { param: "temperature", message: "Decimal above maximum value." }), "unknown"],
  ])("%s is %s", (said, kind) => {
    expect(failed(said)).toMatchObject({ failure: { kind } });
  });

  test("what else a failure says", () => {
    expect(failed("429 too many requests")).toMatchObject({ failure: { throttled: true } });
    expect(failed("401 no")).toMatchObject({ failure: { hint: expect.stringMatching(/^Log in/) } });
    expect(failed("You hit your usage limit. Try again in ~35 min.")).toMatchObject({
      failure: { resetAt: now.getTime() + 35 * 60_000 },
    });
  });
});
