import { expect, test } from "vitest";
import { providerOfRunner, runnerNames, runnerProblem, runnerWords } from "./runners.ts";

test("each runner, and each provider by its own name, leads to its provider", () => {
  const found = new Set(runnerWords.map(providerOfRunner));
  expect([...found].toSorted()).toEqual(runnerNames.map(providerOfRunner).toSorted());
  expect(providerOfRunner("claude-code")).toBe("claude");
  expect(providerOfRunner("claude")).toBe("claude");
});

test("one without a provider is told by the name that files have for it", () => {
  expect(runnerProblem("gemini")?.message).toContain('"gemini-cli"');
  expect(runnerProblem("claude")).toBeNull();
  expect(runnerProblem("nobody")).toBeNull();
});
