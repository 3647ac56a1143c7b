import { expect, test } from "vitest";
import {
  BusyError,
  DeniedError,
  errorView,
  FencedError,
  NotFoundError,
  QuotaError,
  RefusedError,
  RepriseError,
  RetryableError,
  SessionLostError,
  StoreError,
  TerminalError,
  TimedOutError,
  UsageError,
} from "./errors.ts";

test.each([
  [UsageError, 2],
  [NotFoundError, 4],
  [DeniedError, 5],
  [TimedOutError, 6],
  [BusyError, 1],
  [RefusedError, 1],
  [TerminalError, 1],
  [RetryableError, 1],
  [StoreError, 1],
])("%o ends the command line with %i", (Class, exitCode) => {
  const error = new Class("a-code", "It happened.", "Do this.");
  expect(error).toBeInstanceOf(RepriseError);
  expect(error.exitCode).toBe(exitCode);
  expect(error.view()).toEqual({ code: "a-code", message: "It happened.", hint: "Do this." });
});

test("a limit is worth trying again, and says when", () => {
  const error = new QuotaError("quota", "Used up.", "Wait.", 42);
  expect(error).toBeInstanceOf(RetryableError);
  expect(error.resetAt).toBe(42);
});

test("a lost session keeps its evidence", () => {
  expect(new SessionLostError("lost", "Gone.", "Reseed.", "no rollout found").evidence).toBe(
    "no rollout found",
  );
});

test("a turn that was taken over names itself", () => {
  expect(new FencedError("t1").view()).toMatchObject({
    code: "fenced",
    message: expect.stringContaining("t1"),
  });
});

test("anything else that is thrown is a defect of ours", () => {
  expect(errorView(new Error("boom"))).toMatchObject({ code: "internal", message: "boom" });
  expect(errorView("boom")).toMatchObject({ code: "internal", message: "boom" });
  expect(errorView(new UsageError("c", "m", "h"))).toEqual({ code: "c", message: "m", hint: "h" });
});
