/** C04 on the scripted agent, which can also lie about ids and results. */

import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { anotherSession } from "./c04-another-session.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { recall, remember, secret, witnessed } from "./subject.ts";

anotherSession("scripted", startScripted);

const lies: readonly (readonly [string, readonly unknown[]])[] = [
  ["another id comes back", ["model", { "answer-id": randomUUID() }]],
  ["an id of the wrong shape comes back", [{ "answer-id": "session-1" }]],
  ["a refusal is reported as success", ["refuse-as-success"]],
];

for (const [what, steps] of lies)
  test(`C04/scripted: ${what} ⇒ a refusal`, async () => {
    await using subject = await startScripted();
    const asked = await subject.begin();
    subject.script(steps);
    const { turn, launches, calls } = await subject.send(recall);
    expect(launches).toMatchObject([{ resumed: asked }, { resumed: null }]);
    expect(witnessed({ launches: launches.slice(1), calls: calls.slice(-1) }, asked)).toBe(
      "reseed",
    );
    expect(turn).toMatchObject({ turn: { status: "done" }, output: secret });
    const next = await subject.send("echo on");
    expect(next.launches).toMatchObject([{ resumed: calls.at(-1)?.session }]);
  });

test("C04/scripted: the agent is ended at the first event that names another session", async () => {
  await using subject = await startScripted();
  await subject.begin();
  subject.script([{ "answer-id": randomUUID() }, "session", "hang"]);
  const { turn } = await subject.send(recall);
  expect(turn).toMatchObject({ turn: { status: "done" }, output: secret });
  expect(subject.ledger("exit").map(({ signal }) => signal)).toContain("SIGTERM");
});

test("C04/scripted: another id after a tool ran ⇒ the turn is not repeated", async () => {
  await using subject = await startScripted();
  const asked = await subject.begin();
  subject.script([{ "answer-id": randomUUID() }, "late-id", { tool: "ls" }]);
  const { turn, launches } = await subject.send("echo on");
  expect(launches).toHaveLength(1);
  expect(turn.turn.status).toBe("failed");
  const next = await subject.send(recall);
  expect(witnessed(next, asked)).toBe("reseed");
});

test("C04/scripted: a new session under another id than the given one ⇒ one more attempt, and the other id is never used", async () => {
  await using subject = await startScripted();
  const other = randomUUID();
  subject.script([{ "answer-id": other }]);
  const { turn, launches } = await subject.send(remember);
  expect(launches).toMatchObject([{ resumed: null }, { resumed: null }]);
  expect(turn.turn.status).toBe("done");
  const next = await subject.send(recall);
  expect(next.launches).toMatchObject([{ resumed: subject.witness.calls()[1]?.session }]);
  expect(next.launches[0]?.resumed).not.toBe(other);
  expect(next.turn.output).toBe(secret);
});

test("C04/scripted: a new session under an id of the wrong shape is not taken", async () => {
  await using subject = await startScripted();
  subject.script([{ "answer-id": "not-an-id" }]);
  const { turn, launches } = await subject.send(remember);
  expect(launches).toHaveLength(1);
  expect(turn).toMatchObject({ turn: { status: "failed" }, error: { code: "bad-session-id" } });
  const next = await subject.send(remember);
  expect(next.launches).toMatchObject([{ resumed: null }]);
});

test("C04/scripted: a resumed turn without any id is believed only where the history has grown", async () => {
  await using subject = await startScripted();
  const asked = await subject.begin();
  subject.script(["no-id"]);
  const silent = await subject.send(recall);
  expect(silent.launches).toMatchObject([{ resumed: asked }]);
  expect(silent.turn).toMatchObject({ turn: { status: "done" }, output: secret });
  const next = await subject.send("echo on");
  expect(next.calls).toMatchObject([{ session: asked, earlier: 4 }]);

  subject.script(["no-id", "ghost"]);
  const ghost = await subject.send(recall);
  expect(ghost.launches).toMatchObject([{ resumed: asked }, { resumed: null }]);
});
