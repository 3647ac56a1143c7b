import { describe, expect, test } from "vitest";
import type { AgentEvent, Exit } from "../provider.ts";
import { ScriptedReader } from "./reader.ts";

const usage = { cachedRead: 0, cachedWrite: 0, uncached: 3, output: 1 };
const worked = { type: "usage", total: true, ...usage };
const poison = "400 invalid_request_error: messages.3: thinking signature is invalid";

function read(lines: readonly (object | string)[], exit: Exit): AgentEvent[] {
  const reader = new ScriptedReader();
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  return [...texts.flatMap((line) => reader.line(line)), ...reader.end(exit)];
}

const ok: Exit = { code: 0, stderr: "" };

test("a healthy turn", () => {
  const lines = [
    { type: "session", id: "s" },
    { type: "tool", name: "ls" },
    { type: "text", text: "hi" },
    worked,
    { type: "result", ok: true, text: "hi" },
  ];
  expect(read(lines, ok)).toEqual([
    { type: "session", id: "s" },
    { type: "tool", name: "ls" },
    { type: "text", text: "hi" },
    { type: "usage", usage },
    { type: "result", text: "hi" },
  ]);
});

test("noise, unknown events and replayed history are ignored", () => {
  const noise = ["", "Loading…", "{ not json", "[1]", "null", "42", '{"type":"progress"}'];
  const replay = [
    { type: "text", role: "user", text: "old", replay: true },
    { type: "tool", name: "rm", replay: true },
    { ...worked, replay: true },
  ];
  expect(read([...noise, ...replay], ok)).toEqual([]);
});

test("replayed work is not work of this turn", () => {
  const lines = [
    { ...worked, replay: true },
    { type: "result", ok: true, text: "No session" },
  ];
  expect(read(lines, ok)).toMatchObject([{ type: "failure", failure: { kind: "missing" } }]);
});

test("an answer that quotes an error also found on standard error is an answer", () => {
  const stderr = `${poison}\nNo session found with id x\n`;
  for (const text of [poison, "No session found with id x", "Prompt is too long"])
    expect(read([worked, { type: "result", ok: true, text }], { code: 0, stderr })).toEqual([
      { type: "usage", usage },
      { type: "result", text },
    ]);
});

describe("failures", () => {
  test.for([
    [
      { kind: "missing", message: "m" },
      { kind: "missing", message: "m" },
    ],
    [
      { kind: "in-use", message: "m" },
      { kind: "in-use", message: "m" },
    ],
    [
      { kind: "writer", message: "m" },
      { kind: "writer", message: "m" },
    ],
    [
      { kind: "transient", status: 500, message: "m" },
      { kind: "transient", message: "m" },
    ],
    [
      { kind: "quota", status: 429, message: "m", resetAt: 7 },
      { kind: "quota", message: "m", resetAt: 7 },
    ],
    [
      { kind: "poisoned", status: 400, message: poison },
      { kind: "poisoned", message: poison },
    ],
    [
      { kind: "unknown", message: "m" },
      { kind: "unknown", message: "m" },
    ],
    [
      { status: 429, message: "m", resetAt: 7 },
      { kind: "quota", message: "m", resetAt: 7 },
    ],
    [
      { status: 429, message: "m" },
      { kind: "transient", message: "m", throttled: true },
    ],
    [
      { status: 408, message: "m" },
      { kind: "transient", message: "m" },
    ],
    [
      { status: 503, message: "m" },
      { kind: "transient", message: "m" },
    ],
    [
      { status: 400, message: "m" },
      { kind: "unknown", message: "m" },
    ],
    [
      { kind: "novel", message: "m" },
      { kind: "unknown", message: "m" },
    ],
    [null, { kind: "unknown", message: "" }],
  ] as const)("error %j is %j", ([error, failure]) => {
    const events = read([{ type: "result", ok: false, error }], { code: 1, stderr: "other\n" });
    expect(events).toEqual([{ type: "failure", failure }]);
  });

  test.for<[number | null, string, object[]]>([
    [
      1,
      "No session found with id x\n",
      [{ kind: "missing", message: "No session found with id x" }],
    ],
    [
      1,
      "Session id x is already in use\n",
      [{ kind: "in-use", message: "Session id x is already in use" }],
    ],
    [1, "No session found with id x\nthen this\n", [{ kind: "unknown", message: "then this" }]],
    [
      1,
      "a tool said: No session found with id x\n",
      [{ kind: "unknown", message: "a tool said: No session found with id x" }],
    ],
    [3, "", [{ kind: "unknown", message: "It ended with code 3" }]],
    [0, "No session found with id x\n", []],
    [137, "No session found with id x\n", []],
    [null, "", []],
  ])("no result, exit %j, %j", ([code, stderr, failures]) => {
    expect(read([], { code, stderr })).toEqual(
      failures.map((failure) => ({ type: "failure", failure })),
    );
  });

  test("success without work is a refusal", () => {
    const lines = [
      { ...worked, uncached: 0, output: 0 },
      { type: "result", ok: true, text: "No session found with id x" },
    ];
    expect(read(lines, ok).at(-1)).toEqual({
      type: "failure",
      failure: { kind: "missing", message: "No session found with id x" },
    });
  });

  test("an overflow reported as success poisons the session", () => {
    const lines = [
      worked,
      { type: "result", ok: true, text: "Prompt is too long", stop: "overflow" },
    ];
    expect(read(lines, ok).at(-1)).toEqual({
      type: "failure",
      failure: { kind: "poisoned", message: "Prompt is too long", overflow: true },
    });
  });
});
