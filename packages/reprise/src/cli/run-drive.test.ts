import { expect, test } from "vitest";
import { outputLines } from "./run-drive.ts";

const node = (id: string, type: string) => ({ id, type }) as never;
const lines = (outputs: Record<string, unknown>, ...nodes: never[]) =>
  outputLines({ outputs, graph: { nodes, edges: [] } }, false);

test("W18: an output with a key output is printed as a whole; of an agent that ended the run, its output", () => {
  const value = { output: "text", more: 1 };
  const whole = [JSON.stringify(value, null, 2)];
  expect(lines({ plan: value }, node("plan", "output"))).toEqual(whole);
  expect(lines({ count: value }, node("count", "function"))).toEqual(whole);
  expect(lines({ coder: value }, node("coder", "agent"))).toEqual(["text"]);
});
