import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reader } from "./reader.ts";

const read = (lines: readonly object[], exit = { code: 0, stderr: "" }) => {
  const { line, end } = reader();
  return [...lines.flatMap((event) => line(JSON.stringify(event))), ...end(exit)];
};
const result = (more: object) => ({ type: "result", subtype: "success", is_error: false, ...more });
const says = (...content: object[]) => ({ type: "assistant", message: { content } });
const text = (words: string) => ({ type: "text", text: words });
const use = (id: string, name: string, input: object = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});
const done = (id: string) => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id: id, content: "x" }] },
});
const kinds = (events: { type: string }[]) => events.map(({ type }) => type);
const failed = (more: object, before: object[] = []) =>
  read([...before, result({ is_error: true, terminal_reason: "api_error", ...more })], {
    code: 1,
    stderr: "",
  }).at(-1);

describe("reader", () => {
  test("a recorded turn with two tools, one of which was denied", () => {
    const recorded = readFileSync(join(import.meta.dirname, "fixtures/tool-turn.jsonl"), "utf8");
    const { line, end } = reader();
    const events = recorded.split("\n").flatMap((words) => line(words));
    expect(kinds(events)).toEqual([
      "session",
      "model",
      "version",
      "tool",
      "tool",
      "text",
      "usage",
      "denied",
      "result",
    ]);
    expect(events[0]).toEqual({ type: "session", id: "0f5b1c1e-3a51-4d0c-9b8e-6f3f3c1f2a10" });
    expect(events).toContainEqual({ type: "version", version: "2.1.325" });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "denied", tool: "Bash", detail: expect.any(String) }),
    );
    expect(events.at(-1)).toMatchObject({ text: expect.stringMatching(/^It said: Permission/) });
    expect(end({ code: 0, stderr: "" })).toEqual([]);
  });

  test("usage is that of all models, subagents included, or else of the main conversation", () => {
    const model = (count: number) => ({
      inputTokens: count,
      outputTokens: 2 * count,
      cacheReadInputTokens: 3 * count,
      cacheCreationInputTokens: 4 * count,
    });
    const models = { model_usage_since_last_result: { a: model(1), b: model(10) } };
    expect(read([result({ ...models, result: "x" })])[0]).toEqual({
      type: "usage",
      usage: { uncached: 11, output: 22, cachedRead: 33, cachedWrite: 44 },
    });
    const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 };
    expect(read([result({ usage })])[0]).toEqual({
      type: "usage",
      usage: { uncached: 1, output: 2, cachedRead: 3, cachedWrite: null },
    });
  });

  test("unreported usage is unknown, and an empty table means that no model was used", () => {
    const of = (models: object) => read([result({ model_usage_since_last_result: models })])[0];
    expect(of({ a: { outputTokens: 2 }, b: { outputTokens: 3, inputTokens: 1 } })).toEqual({
      type: "usage",
      usage: { uncached: 1, output: 5, cachedRead: null, cachedWrite: null },
    });
    expect(of({})).toEqual({
      type: "usage",
      usage: { uncached: 0, output: 0, cachedRead: 0, cachedWrite: 0 },
    });
    expect(kinds(read([result({ result: "x" })]))).toEqual(["result"]);
  });

  test("a subagent's text is not the answer, but its tools count", () => {
    const sub = { ...says(text("inside"), use("t2", "Bash")), parent_tool_use_id: "t1" };
    const events = read([says(use("t1", "Agent")), sub, done("t1"), says(text("over"))]);
    expect(events).toEqual([
      { type: "tool", name: "Agent" },
      { type: "tool", name: "Bash" },
      { type: "text", text: "over" },
    ]);
  });

  test("an answer that quotes a failure is an answer, whatever the exit code", () => {
    const quoted = "API Error: 400 messages.1: x · No conversation found · Prompt is too long";
    const answered = [says(text(quoted)), result({ result: quoted, terminal_reason: "completed" })];
    const events = read(answered, { code: 1, stderr: "Error: No conversation found\n" });
    expect(kinds(events)).toEqual(["text", "result"]);
  });

  test("noise is skipped, and notable events become notes", () => {
    const { line } = reader();
    expect(line("Warning: something")).toEqual([]);
    expect(line('{"type":"resu')).toEqual([]);
    expect(line('{"type":"system","subtype":"toString"}')).toEqual([]);
    expect(line('{"type":"system","subtype":"session_writes_lost"}')).toEqual([
      { type: "note", text: "Claude could not save all of the session." },
    ]);
  });

  test("an interrupted turn has neither answer nor failure", () => {
    const aborted = { is_error: true, terminal_reason: "aborted_streaming" };
    expect(read([result({ ...aborted, subtype: "error_during_execution" })])).toEqual([]);
  });
});

describe("a compaction", () => {
  const status = (more: object) => ({ type: "system", subtype: "status", status: null, ...more });
  const ended = (more: object = {}) => result({ result: "", local_command: "compact", ...more });
  const failing = (compact_error: string) =>
    read([status({ compact_result: "failed", compact_error }), ended({ result: compact_error })]);

  test("on request ends with an empty answer", () => {
    expect(read([status({ compact_result: "success" }), ended()])).toEqual([
      { type: "result", text: "" },
    ]);
  });

  test.each([
    ["Error during compaction: API Error: 500 Internal server error.", { kind: "transient" }],
    ["Error during compaction: API Error: Request rejected (429) · x", { kind: "transient" }],
    ["Error during compaction: API Error: Connection refused — x", { kind: "transient" }],
    ["Error during compaction: Invalid API key · Fix external API key", { kind: "transient" }],
    ["Error during compaction: Failed to authenticate. API Error: 403 no", { kind: "transient" }],
    ["Error during compaction: API Error: 400 messages.1.content.0: x", { kind: "poisoned" }],
    ["Error during compaction: API Error: 400 max_tokens: 500 > 400", { kind: "unknown" }],
    ["Error during compaction: summarization produced empty response", { kind: "unknown" }],
    [
      "Compaction failed · conversation could not be reduced below the context limit",
      { kind: "poisoned", overflow: true },
    ],
  ])("that failed is reported as a success: %s", (message, failure) => {
    expect(failing(message)).toEqual([{ type: "failure", failure: { ...failure, message } }]);
  });

  test("that claude tried by itself is mentioned when the turn is too long", () => {
    const overflow = { terminal_reason: "prompt_too_long", result: "Prompt is too long" };
    const tried = (compact_result: string) => failed(overflow, [status({ compact_result })]);
    expect(tried("failed")).toMatchObject({ failure: { overflow: true, exhausted: true } });
    expect(tried("success")).not.toHaveProperty("failure.exhausted");
    expect(failed(overflow)).not.toHaveProperty("failure.exhausted");
  });

  test("that claude tried by itself may fail without failing the turn", () => {
    const lines = [
      status({ compact_result: "failed", compact_error: "exhausted" }),
      result({ result: "x", terminal_reason: "completed" }),
    ];
    expect(read(lines)).toEqual([{ type: "result", text: "x" }]);
  });
});

describe("questions", () => {
  const deferred = (id: string, name: string) =>
    result({
      result: "",
      stop_reason: "tool_deferred",
      terminal_reason: "tool_deferred",
      deferred_tool_use: { id, name, input: { questions: [] } },
    });

  test("S0b: a call that the model did not make in this launch is not a question, and the answer follows", () => {
    expect(read([deferred("t0", "Bash")])).toEqual([]);
    const answered = {
      type: "result",
      is_error: false,
      terminal_reason: "completed",
      result: "hi",
    };
    expect(read([deferred("t0", "Bash"), says({ type: "text", text: "hi" }), answered])).toEqual([
      { type: "text", text: "hi" },
      { type: "result", text: "hi" },
    ]);
  });

  test("a deferred question is reported without an answer, and not as a tool that ran", () => {
    const events = read([says(use("t1", "AskUserQuestion")), deferred("t1", "AskUserQuestion")]);
    expect(kinds(events)).toEqual(["asked"]);
    expect(events.at(-1)).toEqual({
      type: "asked",
      question: { id: "t1", kind: "question", tool: "AskUserQuestion", input: { questions: [] } },
      lost: [],
    });
  });

  test("any other tool is a permission; parallel calls that did not run are lost", () => {
    const events = read([
      says(use("t1", "AskUserQuestion", { questions: [1] })),
      says(use("t2", "Bash")),
      says(use("t3", "Read")),
      done("t3"),
      deferred("t2", "Bash"),
    ]);
    expect(events.at(-1)).toMatchObject({
      question: { id: "t2", kind: "permission", tool: "Bash" },
      lost: [{ id: "t1", kind: "question", input: { questions: [1] } }],
    });
  });

  test("a deferred call that cannot continue now is a failure", () => {
    const unavailable = { is_error: true, terminal_reason: "tool_deferred_unavailable" };
    const line = { ...deferred("t1", "Bash"), ...unavailable };
    expect(read([line]).at(-1)).toMatchObject({ type: "failure", failure: { kind: "unknown" } });
  });
});

describe("failures", () => {
  const error = (name: string) => ({ type: "assistant", error: name, is_api_error_message: true });

  test.each<[object, string]>([
    [{ api_error_status: 429 }, "transient"],
    [{ api_error_status: 500 }, "transient"],
    [{ api_error_status: 529 }, "transient"],
    [{ api_error_status: null, api_error: "connection_failed" }, "transient"],
    [{ api_error_status: 401 }, "login"],
    [{ api_error_status: 403 }, "login"],
    [{ api_error_status: 400, terminal_reason: "prompt_too_long" }, "poisoned"],
    [{ terminal_reason: "blocking_limit" }, "poisoned"],
    [{ api_error_status: 413, terminal_reason: "image_error" }, "poisoned"],
    [{ api_error_status: 400, api_error: "tool_history_mismatch" }, "poisoned"],
    [
      { api_error_status: 400, result: "API Error: 400 messages.1.content.0: Invalid `signature`" },
      "poisoned",
    ],
    [
      { api_error_status: 400, result: "API Error: 400 messages: text content blocks must be" },
      "poisoned",
    ],
    [{ api_error_status: 400, result: "API Error: 400 max_tokens: 1 > 0" }, "unknown"],
    [{ api_error_status: 404, result: "There's an issue with the selected model" }, "request"],
    [{ result: "API Error: API returned a malformed response: body is an HTML page" }, "request"],
    [{ api_error_status: 400, result: "API Error: 400 It violates our Usage Policy" }, "request"],
    [{ terminal_reason: "max_turns" }, "unknown"],
  ])("%j is %s", (more, kind) => {
    expect(failed(more)).toMatchObject({ type: "failure", failure: { kind } });
  });

  test("missing credentials and used-up quota", () => {
    const login = failed({ result: "Not logged in" }, [error("authentication_failed")]);
    expect(login).toMatchObject({
      failure: {
        kind: "login",
        message: "Not logged in",
        hint: expect.stringContaining("claude /login"),
      },
    });
    const balance = failed({ api_error_status: 400 }, [error("billing_error")]);
    expect(balance).toMatchObject({ failure: { kind: "quota" } });
    const limit = failed({ api_error_status: 429, api_error: "usage_limit_reached" }, [
      { type: "rate_limit_event", rate_limit_info: { status: "allowed", resetsAt: 1 } },
      {
        type: "rate_limit_event",
        rate_limit_info: { status: "rejected", resetsAt: 1_900_000_000 },
      },
      error("rate_limit"),
    ]);
    expect(limit).toMatchObject({ failure: { kind: "quota", resetAt: 1_900_000_000_000 } });
  });

  test("a refused session is reported in a result, or only on standard error", () => {
    const message = "No conversation found with session ID: x";
    const line = { subtype: "error_during_execution", terminal_reason: undefined };
    const missing = { type: "failure", failure: { kind: "missing", message } };
    expect(failed({ ...line, errors: [message] })).toEqual(missing);
    expect(read([], { code: 1, stderr: `${message}\n` })).toEqual([missing]);
  });

  test.each([
    ["Error: Session ID x is already in use.", "in-use"],
    ["Error: That session is running in the background (40de7eb3). Run `claude attach`.", "writer"],
    ["Error: Session x is currently running as a background agent (bg).", "writer"],
    ["Error: No deferred tool marker found in the resumed session.", "missing"],
    ["--dangerously-skip-permissions cannot be used with root/sudo privileges", "unknown"],
    ["error: option '--permission-mode <mode>' argument 'x' is invalid.", "unknown"],
  ])("without a turn, %s is %s", (message, kind) => {
    expect(read([], { code: 1, stderr: `Warning: x\n${message}\n` })).toEqual([
      { type: "failure", failure: { kind, message } },
    ]);
  });

  test("an exit without output is unknown, a signal is not a failure", () => {
    expect(read([], { code: 1, stderr: "" })).toEqual([
      { type: "failure", failure: { kind: "unknown", message: "exit code 1" } },
    ]);
    expect(read([], { code: 143, stderr: "No conversation found\n" })).toEqual([]);
    expect(reader().end({ code: null, stderr: "" })).toEqual([]);
  });
});
