/** C05 for every provider: a passing failure keeps the session, and the failed turn is not counted as said. */

import { expect, test } from "vitest";
import { testWithKeptTools } from "./lacks.ts";
import {
  codes,
  gone,
  type Misbehaviour,
  recall,
  type StartSubject,
  type Subject,
  secret,
  timeLimit,
  witnessed,
} from "./subject.ts";

const failing = "echo this fails";

const failures: readonly Misbehaviour[] = ["rate-limit", "server-error", "cut-off"];

export function transient(provider: string, start: StartSubject): void {
  for (const how of failures)
    test(`C05/${provider}: ${how} keeps the session, and the failed turn leaves nothing in it`, async () => {
      await using subject = await start();
      const id = await subject.begin();
      subject.misbehave(how);
      const { turn, launches } = await subject.send(failing);
      expect(turn.turn.status).toBe("failed");
      expect(turn.error).toMatchObject({ code: "transient" });
      expect(launches).toMatchObject([{ resumed: id }]);
      await goesOn(subject, id);
    });

  test(`C05/${provider}: after a passing failure of the first turn the session can still begin`, async () => {
    await using subject = await start();
    subject.misbehave("rate-limit");
    expect((await subject.send(failing)).turn.turn.status).toBe("failed");
    const { turn, calls } = await subject.send("echo again");
    expect(turn).toMatchObject({ turn: { status: "done" }, decision: { outcome: "blank" } });
    expect(calls).toMatchObject([{ earlier: 0, prompt: "echo again" }]);
  });

  test(`C05/${provider}: a time-out ends the agent and keeps the session`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const hold = subject.hold();
    const limit = timeLimit();
    const sent = subject.send(failing, { timeout: limit.timeout });
    await hold.reached();
    limit.pass();
    const { turn } = await sent;
    hold.release();
    expect(turn).toMatchObject({ turn: { status: "failed" }, error: { code: "timed-out" } });
    await gone(turn.turn.id);
    await goesOn(subject, id);
  });

  test(`C05/${provider}: cancel ends the agent and keeps the session`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const hold = subject.hold();
    const stop = new AbortController();
    const sent = subject.send(failing, {}, { signal: stop.signal });
    await hold.reached();
    stop.abort();
    const { turn } = await sent;
    hold.release();
    expect(turn).toMatchObject({ turn: { status: "cancelled" } });
    await gone(turn.turn.id);
    await goesOn(subject, id);
  });

  testWithKeptTools(
    provider,
    `C05/${provider}: what a tool did in a failed turn is kept and reported, and its prompt is not sent again`,
    async () => {
      await using subject = await start();
      const id = await subject.begin();
      subject.misbehave("fail-after-tool");
      const { turn } = await subject.send(failing);
      expect(turn).toMatchObject({ turn: { status: "failed" }, attempts: [{ tools: true }] });

      const next = await subject.send(recall);
      expect(next.launches).toMatchObject([{ resumed: id }]);
      expect(next.calls[0]?.session).toBe(id);
      expect(next.calls[0]?.earlier).toBeGreaterThan(2);
      expect(next.calls[0]?.prompt).not.toContain(failing);
      expect(codes(next.turn)).toContain("unconfirmed-kept");
      expect(next.turn.output).toContain(secret);
    },
  );
}

/** The next turn continues the same session as if the failed one had not happened. */
async function goesOn(subject: Subject, id: string): Promise<void> {
  const next = await subject.send(recall);
  expect(witnessed(next, id)).toBe("resume");
  expect(next.calls).toMatchObject([{ session: id, earlier: 2 }]);
  expect(next.calls[0]?.prompt).not.toContain(failing);
  expect(next.turn.output).toContain(secret);
  const after = await subject.send("echo on");
  expect(after.calls).toMatchObject([{ session: id, earlier: 4 }]);
}
