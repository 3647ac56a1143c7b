/** C06 on the scripted agent: a history that the provider itself can not use any more. */

import { expect, test } from "vitest";
import { Database } from "./database.ts";
import { startScripted } from "./scripted-subject.ts";
import { codes, recall, remember, secret, witnessed } from "./subject.ts";

const poisons: readonly (readonly [string, unknown])[] = [
  ["thinking signature", poisoned("messages.1.content.0: Invalid `signature` in `thinking` block")],
  ["image", poisoned("Could not process image")],
  ["empty message", poisoned("messages: text content blocks must be non-empty")],
  ["dangling tool call", poisoned("No tool output found for function call call_1")],
  ["overflow reported as success", "overflow-as-success"],
];

function poisoned(message: string) {
  return { fail: { kind: "poisoned", status: 400, message } };
}

for (const [what, step] of poisons)
  test(`C06/scripted: ${what} ⇒ retired, and the turn goes on with a new session`, async () => {
    await using subject = await startScripted();
    const bad = await subject.begin();
    subject.script([step]);
    const { turn, launches, calls } = await subject.send(recall);
    expect(launches).toMatchObject([{ resumed: bad }, { resumed: null }]);
    expect(witnessed({ launches: launches.slice(1), calls: calls.slice(-1) }, bad)).toBe("reseed");
    expect(turn).toMatchObject({ turn: { status: "done" }, output: secret });
    expect(codes(turn)).toHaveLength(1);
    const next = await subject.send("echo on");
    expect(next.launches).toMatchObject([{ resumed: calls.at(-1)?.session }]);
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

test("C06/scripted: an older good row can not revive a retired session", async () => {
  await using subject = await startScripted();
  const bad = await subject.begin();
  using database = new Database(subject);
  const [good] = database.rows<{ handle: string; data: string }>("SELECT handle, data FROM pin");
  subject.script([poisoned("Could not process image")]);
  await subject.send("echo on");
  database.change("UPDATE pin SET handle = :handle, data = :data", { ...good! });

  const { turn, launches } = await subject.send(recall);
  expect(launches).toMatchObject([{ resumed: null }]);
  expect(turn).toMatchObject({ decision: { outcome: "reseed" }, output: secret });
  for (const { argv } of launches) expect(argv).not.toContain(bad);
});

test("C06/scripted: an answer that merely quotes such a text is safe", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  const quoted =
    "400 invalid_request_error: messages.1.content.0: Invalid `signature` in `thinking` block. Prompt is too long. No session found with id 1";
  subject.script([{ say: quoted }]);
  const { turn, launches } = await subject.send("what does that error mean?");
  expect(launches).toHaveLength(1);
  expect(turn).toMatchObject({ turn: { status: "done" }, output: quoted });
  const next = await subject.send(recall);
  expect(witnessed(next, id)).toBe("resume");
  expect(next.calls).toMatchObject([{ earlier: 4 }]);
});

test("C06/scripted: unknown failures in a row ⇒ retired; a good turn between them starts the count anew", async () => {
  await using subject = await startScripted({ settings: { maxStrikes: 2 } });
  const id = await subject.begin();
  const unknown = { fail: { kind: "unknown" } };
  const outcomes: (string | undefined)[] = [];
  for (const steps of [[unknown], [], [unknown], [unknown], []]) {
    subject.script(steps);
    const { turn, launches } = await subject.send("echo on");
    expect(launches).toHaveLength(1);
    outcomes.push(`${turn.turn.status} ${launches[0]?.resumed === id ? "resumed" : "new"}`);
  }
  expect(outcomes).toEqual([
    "failed resumed",
    "done resumed",
    "failed resumed",
    "failed resumed",
    "done new",
  ]);
  const last = await subject.send(recall);
  expect(last.turn.output).toBe(secret);
  expect(subject.ledger("model").at(-2)?.prompt).toContain(remember);
});
