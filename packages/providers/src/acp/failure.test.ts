import { describe, expect, test } from "vitest";
import { AgentEnded } from "./agent-process.ts";
import { RpcError } from "./connection.ts";
import { failureOf, type Step, TurnFailure } from "./failure.ts";

const now = 1_000_000;
const of = (step: Step, code: number, message = "Internal error", details?: string) =>
  failureOf(
    new RpcError({ code, message, ...(details !== undefined && { data: { details } }) }),
    step,
    ["a-key"],
    now,
  );

test("a session that cannot be continued is lost, whatever the code; without a login it is not", () => {
  for (const code of [-32002, -32603, -32601, -32602])
    expect(of("continue", code).kind).toBe("missing");
  expect(of("continue", -32000)).toMatchObject({
    kind: "login",
    hint: expect.stringMatching(/a-key/),
  });
  expect(of("prompt", -32002).kind).toBe("missing");
  expect(of("prompt", -32602, "Session not found: x").kind).toBe("missing");
  expect(of("new", -32000).kind).toBe("login");
});

test("what the agent does not let us choose is a request that it rejects", () => {
  expect(of("choose", -32602, "Invalid params").kind).toBe("request");
  expect(of("choose", -32603).kind).toBe("request");
});

describe("what services say", () => {
  test.each([
    [429, "Rate limit exceeded. Try again later.", { kind: "transient", throttled: true }],
    [-32603, "429 Too many requests", { kind: "transient", throttled: true }],
    [-32603, "status 503: overloaded", { kind: "transient" }],
    [-32603, "500 The server had an error", { kind: "transient" }],
    [-32603, "fetch failed: terminated", { kind: "transient" }],
    [-32603, "You exceeded your current quota", { kind: "quota" }],
    [-32603, "quota exceeded, reset after 1h1m1s", { kind: "quota", resetAt: now + 3_661_000 }],
    [401, "Unauthorized", { kind: "login" }],
    [-32603, "API key not valid", { kind: "login" }],
    [-32603, "404 The model `nope` does not exist", { kind: "request" }],
    [-32603, "<!DOCTYPE html><html>", { kind: "request" }],
    [400, "prompt is too long: 210000 tokens", { kind: "poisoned", overflow: true }],
    [-32603, "400 messages.1: `tool_use` ids without `tool_result`", { kind: "poisoned" }],
    [-32603, "400 Invalid value for temperature", { kind: "unknown" }],
    [-32603, "took 500 ms", { kind: "unknown" }],
  ])("%i %s", (code, details, expected) => {
    const failure = of("prompt", code, "Internal error", details);
    expect(failure).toMatchObject(expected);
    expect(failure.message).toBe(`Internal error: ${details} (${code})`);
  });
});

test("an agent that ends is an unknown failure, one that is killed may pass, and others are reported as they are", () => {
  const ended = (code: number | null, signal: NodeJS.Signals | null) =>
    failureOf(new AgentEnded("ended", code, signal), "prompt", [], now);
  expect(ended(3, null)).toEqual({ kind: "unknown", message: "ended" });
  expect(ended(null, "SIGKILL")).toEqual({ kind: "transient", message: "ended" });
  const failure = { kind: "request", message: "no" } as const;
  expect(failureOf(new TurnFailure(failure), "prompt", [], now)).toBe(failure);
  expect(() => failureOf(new TypeError("a fault of ours"), "prompt", [], now)).toThrow(TypeError);
});
