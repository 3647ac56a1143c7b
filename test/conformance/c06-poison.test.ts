/** C06 on the scripted agent, which knows every kind of poison. */

import { expect, test } from "vitest";
import { isRetired, poison } from "./c06-poison.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { recall, witnessed } from "./subject.ts";

poison("scripted", startScripted);

const poisons: readonly (readonly [string, unknown])[] = [
  ["thinking signature", poisoned("messages.1.content.0: Invalid `signature` in `thinking` block")],
  ["image", poisoned("Could not process image")],
  ["empty message", poisoned("messages: text content blocks must be non-empty")],
  ["dangling tool call", poisoned("No tool output found for function call call_1")],
];

function poisoned(message: string) {
  return { fail: { kind: "poisoned", status: 400, message } };
}

for (const [what, step] of poisons)
  test(`C06/scripted: ${what} ⇒ retired, and the turn continues with a new session`, async () => {
    await using subject = await startScripted();
    const bad = await subject.begin();
    subject.script([step]);
    await isRetired(subject, bad, await subject.send(recall));
  });

test("C06/scripted: overflow reported as success, which cannot be compacted ⇒ retired, and the turn continues with a new session", async () => {
  await using subject = await startScripted();
  const bad = await subject.begin();
  subject.script(["overflow-as-success"], ["overflow-as-success"]);
  await isRetired(subject, bad, await subject.send(recall), 2);
});

test("C06/scripted: poisoned after a tool ran ⇒ retired, and the turn is not repeated", async () => {
  await using subject = await startScripted();
  const bad = await subject.begin();
  subject.script([{ tool: "ls" }, poisoned("Could not process image")]);
  const { turn, launches } = await subject.send("echo on");
  expect(launches).toHaveLength(1);
  expect(turn).toMatchObject({ turn: { status: "failed" }, error: { code: "session-poisoned" } });
  expect(witnessed(await subject.send(recall), bad)).toBe("reseed");
});
