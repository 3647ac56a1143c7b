import { expect, test } from "vitest";
import { load } from "./load.ts";
import { providerOfRunner, runnerProblem, runnerWords } from "./runners.ts";
import { exampleRunners as runners } from "./runners-example.ts";

test("each runner, and each provider by its own name, leads to its provider", () => {
  const found = new Set(runnerWords(runners).map((word) => providerOfRunner(word, runners)));
  expect([...found].toSorted()).toEqual(runners.map(({ provider }) => provider).toSorted());
  expect(providerOfRunner("claude-code", runners)).toBe("claude");
  expect(providerOfRunner("claude", runners)).toBe("claude");
  expect(providerOfRunner("nothing", runners)).toBeNull();
});

test("the problem of a runner without a provider has the name that files write", () => {
  expect(runnerProblem("gemini", runners)?.message).toContain('"gemini-cli"');
  expect(runnerProblem("claude", runners)).toBeNull();
  expect(runnerProblem("nothing", runners)).toBeNull();
});

test("X2: the runners of a file are those that the caller passes in", () => {
  const text = "name: x\nsteps:\n  a: { agent: my-agent, prompt: Hi. }\n";
  const mine = { name: "my-agent", provider: "mine", available: true };
  expect(load(text, { runners }).findings).toMatchObject([
    { code: "bad-value", message: 'No provider has the runner "my-agent".', position: { line: 3 } },
  ]);
  expect(load(text, { runners: [...runners, mine] }).graph?.nodes[0]).toMatchObject({
    provider: "mine",
  });
  // A run that was started keeps its graph when its provider is no longer loaded.
  expect(load(text, { runners, unknownRunners: "accept" }).graph?.nodes[0]).toMatchObject({
    provider: "my-agent",
  });
});

test("X2: a node has the outputs that the manifest of its provider adds", () => {
  const mine = { name: "mine", provider: "mine", available: true, outputs: ["trace"] };
  const outputs = (agent: string) => {
    const text = `name: x\nsteps:\n  a: { agent: ${agent}, prompt: Hi. }\n`;
    const [node] = load(text, { runners: [...runners, mine] }).graph!.nodes;
    return node!.outputs.map(({ name }) => name);
  };
  expect(outputs("mine")).toContain("trace");
  expect(outputs("mine")).not.toContain("conversationHistory");
  expect(outputs("codex")).not.toContain("trace");
});
