import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reader } from "./reader.ts";

const now = new Date("2026-11-19T18:00:00Z");
const ended = { code: 0, stderr: "" };
const read = (lines: readonly (object | string)[], exit: typeof ended | { code: null } = ended) => {
  const { line, end } = reader(() => now);
  const words = lines.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  return [...words.flatMap((each) => line(each)), ...end({ stderr: "", ...exit })];
};
const recorded = (name: string) =>
  readFileSync(join(import.meta.dirname, `fixtures/${name}.jsonl`), "utf8").split("\n");
const failures = (events: ReturnType<typeof read>) =>
  events.flatMap((event) => (event.type === "failure" ? [event.failure] : []));

const sessionID = "ses_e0a354431ffeq84EnUmS6SoQv8";
const starts = { type: "step_start", sessionID, part: {} };
const says = (text: string) => ({ type: "text", sessionID, part: { text } });
const ends = (reason: string) => ({ type: "step_finish", sessionID, part: { reason } });
const fails = (data: object, name = "APIError") => ({
  ...{ type: "error", sessionID },
  error: { name, data },
});

describe("reader", () => {
  test("a recorded turn with four tools, three of which were denied", () => {
    const events = read(recorded("denied-turn"));
    expect(events[0]).toEqual({ type: "session", id: "ses_e0a1651baffecdRek86l2KaxVN" });
    expect(events.filter(({ type }) => type === "session")).toHaveLength(1);
    expect(events.filter(({ type }) => type === "tool")).toHaveLength(4);
    expect(events.filter(({ type }) => type === "denied")).toEqual([
      { type: "denied", tool: "webfetch", detail: "http://127.0.0.1:1/", id: "call_0041" },
      { type: "denied", tool: "read", detail: "/etc/hostname", id: "call_0042" },
      { type: "denied", tool: "bash", detail: "> more.txt", id: "call_0040" },
    ]);
    // The sum of both steps.
    expect(events.find(({ type }) => type === "usage")).toEqual({
      type: "usage",
      usage: { cachedRead: 4549 + 6805, cachedWrite: 0, uncached: 2257 + 441, output: 142 + 10 },
    });
    expect(events.at(-1)).toEqual({ type: "result", text: "done" });
  });

  test.each([
    ["unauthorized", { kind: "login", message: "Incorrect API key provided." }],
    ["invalid-history", { kind: "poisoned" }],
    ["bad-request", { kind: "unknown" }],
    ["rate-limit", { kind: "transient", throttled: true }],
    ["quota", { kind: "quota" }],
    ["server-error", { kind: "transient" }],
    ["dropped", { kind: "transient", message: "Connection reset by server" }],
    // It tried to compact, which did not fit either.
    ["overflow", { kind: "poisoned", overflow: true, exhausted: true }],
  ])("a recorded failure: %s", (name, expected) => {
    expect(failures(read(recorded(name), { code: 1, stderr: "" }))).toMatchObject([expected]);
  });

  test("an answer that quotes a failure is an answer; the one of the last step counts", () => {
    const quote = "Error: Session not found, insufficient_quota";
    const lines = [starts, says("I look."), ends("tool-calls"), starts, says(quote), ends("stop")];
    expect(read(lines).at(-1)).toEqual({ type: "result", text: quote });
  });

  test("a step that was refused, or no step at all, is not a result, although the status is 0", () => {
    expect(failures(read([starts, ends("tool-calls")]))).toMatchObject([{ kind: "transient" }]);
    expect(failures(read([]))).toMatchObject([{ kind: "transient" }]);
    expect(failures(read([starts, ends("content-filter")]))).toMatchObject([{ kind: "request" }]);
  });

  test("an answer after an error means that opencode continued", () => {
    const lines = [fails({}, "ContextOverflowError"), starts, says("done"), ends("stop")];
    expect(read(lines, { code: 1, stderr: "" }).at(-1)).toEqual({ type: "result", text: "done" });
  });

  test("a quota has its reset time where the service sent it", () => {
    const limit = (after: string) =>
      failures(
        read([
          fails({
            ...{ message: "You exceeded your current quota.", statusCode: 429 },
            responseHeaders: { "retry-after": after },
          }),
        ]),
      );
    const kind = "quota";
    expect(limit("7200")).toMatchObject([{ kind, resetAt: now.getTime() + 7_200_000 }]);
    const date = "Thu, 19 Nov 2026 23:00:00 GMT";
    expect(limit(date)).toMatchObject([{ kind, resetAt: Date.parse(date) }]);
    expect(limit("soon")[0]).not.toHaveProperty("resetAt");
  });

  test.each([
    ["\u001b[91m\u001b[1mError: \u001b[0mSession not found\n", "missing"],
    ["Error: database disk image is malformed\n", "missing"],
    ["You must provide a message or a command\n", "unsent"],
    ["Failed to change directory to /gone\n", "request"],
    ["Segmentation fault\n", "unknown"],
  ])("what it says on standard error when it does not start: %j", (stderr, kind) => {
    expect(failures(read([], { code: 1, stderr }))).toMatchObject([{ kind }]);
  });

  test("a last step that ended is the answer, also if the exit is unknown", () => {
    const unknown = { code: null };
    const answered = [starts, says("done"), ends("stop")];
    expect(read(answered, unknown).at(-1)).toEqual({ type: "result", text: "done" });
    const kinds = (lines: object[]) => read(lines, unknown).map(({ type }) => type);
    expect(kinds([starts, says("done")])).not.toContain("result");
    expect(kinds([...answered, starts, says("more")])).not.toContain("result");
    expect(kinds([...answered, fails({ message: "no" })])).not.toContain("result");
  });

  test("a process that was interrupted has not failed, and what it used is counted", () => {
    const used = { reason: "tool-calls", tokens: { input: 5, output: 2, reasoning: 3, cache: {} } };
    const lines = [starts, { type: "step_finish", sessionID, part: used }];
    for (const code of [null, 137, 143]) {
      const events = read(lines, { code, stderr: "" } as typeof ended);
      expect(events.at(-1)).toMatchObject({ type: "usage", usage: { uncached: 5, output: 5 } });
      expect(failures(events)).toEqual([]);
    }
  });
});
