import { load } from "@reprise/workflow/load";
import { describe, expect, test } from "vitest";
import { checkAnswer, loadInThread } from "./reading.ts";

/** Takes longer than the world has existed. */
const evil = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
const victim = JSON.stringify({ a: `${"a".repeat(60)}!` });

describe("V4: a schema's pattern", () => {
  test("that never ends is given up, and does not block the process", async () => {
    const checked = checkAnswer(victim, evil, 300);
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    await expect(checked).rejects.toMatchObject({
      code: "check-timed-out",
      message: "The answer could not be checked against the outputSchema within 0.3 s.",
      exitCode: 6,
    });
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(0);
  });

  test("that comes to an end is used as before", async () => {
    expect(await checkAnswer('{"a":"aaa"}', evil)).toEqual({ value: { a: "aaa" } });
    expect(await checkAnswer('{"a":"b"}', evil)).toEqual({
      problems: [expect.stringMatching(/^a: /)],
    });
  });
});

test("V4: an answer that is made to take long is given up", async () => {
  const fences = "```a\n".repeat(200_000);
  await expect(checkAnswer(fences, { type: "object" }, 300)).rejects.toMatchObject({
    code: "check-timed-out",
  });
});

test("a workflow is read in a thread as it is here", async () => {
  const steps = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [
      `s${n}`,
      { agent: "scripted", prompt: `Do {{ s${n - 1}.output }}`, session: "one" },
    ]),
  );
  steps.s0 = { agent: "scripted", prompt: "Begin", session: "one" };
  const text = JSON.stringify({ name: "long", steps });
  expect(await loadInThread(text, {}, 60_000)).toEqual(load(text));
});

test("V2: a workflow that takes long to read is given up", async () => {
  const text = `name: x\nsteps: { a: { shell: echo } }\nz: [${"[],".repeat(300_000)}]\n`;
  await expect(loadInThread(text, {}, 100)).rejects.toMatchObject({
    code: "bad-workflow",
    message: "The workflow could not be read within 0.1 s.",
  });
});

test("V2: a workflow that takes too much memory costs only its own thread", async () => {
  const deep = `name: x\nsteps: { a: { shell: echo } }\nz: ${"[".repeat(200_000)}`;
  const after = loadInThread("name: x\nsteps: { a: { shell: echo } }\n", {}, 60_000);
  await loadInThread(deep, {}, 60_000).catch(() => {});
  expect((await after).graph?.nodes.length).toBeGreaterThan(0);
});
