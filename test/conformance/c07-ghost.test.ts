/** C07 on the scripted agent. */

import { expect, test } from "vitest";
import { ghost } from "./c07-ghost.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { key, recall, remember, secret } from "./subject.ts";

ghost("scripted", startScripted);

test("C07/scripted: an id that was sent by an agent that then died is not stored", async () => {
  await using subject = await startScripted();
  subject.script(["session", "crash"]);
  const { turn, launches } = await subject.send(remember);
  expect(turn.turn.status).toBe("interrupted");
  expect(launches).toHaveLength(1);
  expect(await subject.reprise.sessions.show(key)).toMatchObject({ handle: null, pins: [] });
  const next = await subject.send(remember);
  expect(next.launches).toMatchObject([{ resumed: null }]);
  const [ghost, used] = subject.ledger("start").map(({ session }) => session);
  expect(used).not.toBe(ghost);
});

test("S1 C07/scripted: a session that was never saved is not pinned, although a tool ran in it", async () => {
  await using subject = await startScripted();
  subject.script(["ghost", { tool: "ls" }, "crash"]);
  const { turn } = await subject.send(remember);
  expect(turn).toMatchObject({ turn: { status: "interrupted" }, attempts: [{ tools: true }] });
  expect(await subject.reprise.sessions.show(key)).toMatchObject({ handle: null, pins: [] });
  const next = await subject.send(recall);
  expect(next.launches).toMatchObject([{ resumed: null }]);
  expect(next.calls[0]?.prompt).toContain("tools that ran: ls");
  expect(next.turn.output).toContain(secret);
});
