import { expect, onTestFinished, test, vi } from "vitest";
import { startTimer } from "./long-timer.ts";

const day = 24 * 60 * 60 * 1000;

test("W8: a timer of more than 24 days ends then, and neither at once nor earlier", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const done = vi.fn();
  startTimer(60 * day, done);
  vi.advanceTimersByTime(60 * day - 1);
  expect(done).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(done).toHaveBeenCalledOnce();
  const stop = startTimer(60 * day, done);
  vi.advanceTimersByTime(40 * day);
  stop();
  vi.advanceTimersByTime(40 * day);
  expect(done).toHaveBeenCalledOnce();
});
