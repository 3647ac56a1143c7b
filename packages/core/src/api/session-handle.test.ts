import { expect, test } from "vitest";
import { UsageError } from "../errors/errors.ts";
import type { Progress, Reprise, TurnResult } from "./reprise.ts";
import { sessionHandle } from "./session-handle.ts";

type SendCall = Reprise["sessions"]["send"];

function handle(send: SendCall, defaults = {}) {
  return sessionHandle({ sessions: { send } as Reprise["sessions"] }, "fix-42", defaults);
}

async function walked(steps: AsyncIterable<Progress>): Promise<string[]> {
  const types: string[] = [];
  for await (const step of steps) types.push(step.type);
  return types;
}

const result = { output: "done" } as TurnResult;

test("a turn can be walked through, and awaited as well", async () => {
  const { promise, resolve } = Promise.withResolvers<TurnResult>();
  let report: (progress: Progress) => void = () => {};
  const turn = handle((_, options) => {
    report = options!.onProgress!;
    report({ type: "launched", attempt: 1 });
    return promise;
  }).send("continue");
  const steps = turn[Symbol.asyncIterator]();
  expect(await steps.next()).toMatchObject({ value: { type: "launched" } });
  const next = steps.next();
  report({ type: "text", text: "do" });
  expect(await next).toMatchObject({ value: { type: "text", text: "do" } });
  const last = steps.next();
  resolve(result);
  expect(await last).toEqual({ done: true, value: undefined });
  expect(await turn).toBe(result);
  expect(await walked(turn)).toEqual(["launched", "text"]);
});

test("the key, the prompt and what goes with every turn are sent", async () => {
  const calls: unknown[] = [];
  const session = handle(
    async (input) => {
      calls.push(input);
      return result;
    },
    { agent: "coder", folder: "/a" },
  );
  await session.send("one");
  await session.send("two", { folder: "/b", continuity: "blank" });
  expect(calls).toEqual([
    { key: "fix-42", prompt: "one", agent: "coder", folder: "/a" },
    { key: "fix-42", prompt: "two", agent: "coder", folder: "/b", continuity: "blank" },
  ]);
});

test("a failure is thrown by the walk and by the result", async () => {
  const turn = handle(async () => {
    throw new UsageError("bad-input", "No.", "Do.");
  }).send("x");
  await expect(walked(turn)).rejects.toMatchObject({ code: "bad-input" });
  await expect(turn).rejects.toMatchObject({ code: "bad-input" });
});
