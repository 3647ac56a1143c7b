import { describe, expect, test } from "vitest";
import type { Failure } from "../provider.ts";
import { failureOf, resetTime, type ServiceError } from "./failure.ts";

const now = Date.UTC(2030, 0, 1);
const failed = (error: Partial<ServiceError>, earlier = 4) =>
  failureOf(
    {
      status: 400,
      code: null,
      type: "invalid_request_error",
      param: null,
      message: "No.",
      resetAt: null,
      ...error,
    },
    earlier,
    now,
  );

test.each<[string, Partial<ServiceError>, Failure["kind"]]>([
  ["a wrong key", { status: 401, code: "invalid_api_key" }, "login"],
  ["a forbidden project", { status: 403, message: "Not allowed." }, "login"],
  ["no money left", { status: 402 }, "quota"],
  ["no quota left", { status: 429, code: "insufficient_quota" }, "quota"],
  ["a limit that is reset soon", { status: 429, resetAt: now + 20_000 }, "transient"],
  ["a limit that is reset in an hour", { status: 429, resetAt: now + 3_600_000 }, "quota"],
  ["a limit without a time", { status: 429, code: "rate_limit_exceeded" }, "transient"],
  ["a server's error", { status: 500, type: "server_error" }, "transient"],
  ["too much work", { status: 529 }, "transient"],
  ["a time-out of the service", { status: 408 }, "transient"],
  ["an error in a stream", { status: null, type: "server_error" }, "transient"],
  ["no such model", { status: 404, code: "model_not_found" }, "request"],
  ["no such model, in words", { status: 404, message: "model 'x' not found" }, "request"],
  ["a model without access", { status: 403, code: "model_not_found" }, "request"],
  ["no such page", { status: 404, message: "Not Found" }, "request"],
  ["a redirection", { status: 302 }, "request"],
  ["a content policy", { code: "content_policy_violation" }, "request"],
  ["a schema that it does not take", { param: "response_format" }, "request"],
  ["an earlier message", { param: "messages.[1].content" }, "poisoned"],
  [
    "an earlier message, by another name",
    { param: "messages[3].content[0].image_url" },
    "poisoned",
  ],
  ["the new prompt", { param: "messages[4].content" }, "request"],
  ["the messages", { param: "messages" }, "poisoned"],
  [
    "a dangling tool call",
    { message: "An assistant message with 'tool_calls' must be followed by tool messages." },
    "poisoned",
  ],
  ["another parameter", { param: "temperature" }, "unknown"],
])("%s", (_, error, kind) => {
  expect(failed(error).kind).toBe(kind);
});

test.each<Partial<ServiceError>>([
  { code: "context_length_exceeded", param: "messages" },
  { status: 413, message: "Payload too large" },
  { message: "the request exceeds the available context size", type: "exceed_context_size_error" },
  { status: 429, type: "tokens", message: "Request too large for gpt on tokens per min" },
])("too long for the model: %j", (error) => {
  expect(failed(error)).toMatchObject({ kind: "poisoned", overflow: true });
});

test("a first turn has no history that could be invalid", () => {
  expect(failed({ param: "messages" }, 0).kind).toBe("request");
});

test("status and code are in the message, and a login says what to set", () => {
  const { message, hint } = failed({ status: 401, code: "invalid_api_key", message: "No key." });
  expect(message).toBe("No key. (401 invalid_api_key)");
  expect(hint).toContain("OPENAI_API_KEY");
});

test("a limit passes on when it is reset, and that nothing began", () => {
  expect(failed({ status: 429, resetAt: now + 1 })).toMatchObject({
    resetAt: now + 1,
    throttled: true,
  });
  expect(failed({ status: 429, resetAt: now + 100_000 })).toMatchObject({
    kind: "quota",
    resetAt: now + 100_000,
  });
});

describe("when a limit is reset", () => {
  const reset = (headers: Record<string, string>, body = {}) => {
    const at = resetTime(new Headers(headers), body, now);
    return at === null ? null : at - now;
  };

  test.each<[Record<string, string>, object, number | null]>([
    [{}, {}, null],
    [{ "retry-after": "30" }, {}, 30_000],
    [{ "retry-after": "Tue, 01 Jan 2030 01:00:00 GMT" }, {}, 3_600_000],
    [{ "retry-after-ms": "250", "retry-after": "1" }, {}, 250],
    [{ "retry-after": "soon" }, {}, null],
    [
      {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "1h2m",
        "x-ratelimit-remaining-tokens": "500",
        "x-ratelimit-reset-tokens": "9h",
      },
      {},
      3_720_000,
    ],
    [{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1.5s" }, {}, 1500],
    [{}, { resets_at: now / 1000 + 60 }, 60_000],
    [{}, { message: "Rate limit reached. Please try again in 6m0s." }, 360_000],
    [{}, { message: "Please try again in 20ms." }, 20],
  ])("%j %j", (headers, body, wait) => {
    expect(reset(headers, body)).toBe(wait);
  });
});
