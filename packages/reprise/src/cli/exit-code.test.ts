import { turnStatuses } from "@reprise/core/session/turn";
import { expect, test } from "vitest";
import { turnExitCode } from "./format/outcome.ts";
import { turnResult } from "./test-turn.ts";

test("every status has its exit code", () => {
  const codes = turnStatuses.map((status) => [status, turnExitCode(turnResult({ status }))]);
  expect(Object.fromEntries(codes)).toEqual({
    queued: 0,
    running: 0,
    waiting: 3,
    done: 0,
    failed: 1,
    refused: 1,
    cancelled: 1,
    interrupted: 1,
    skipped: 0,
  });
});

test("a turn whose last attempt was timed out exits with 6", () => {
  const result = turnResult({ status: "failed", attemptTimes: [[1, 2]], ending: "timed-out" });
  expect(turnExitCode(result)).toBe(6);
});
