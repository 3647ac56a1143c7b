import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startScripted } from "../../../../test/conformance/scripted-subject.ts";
import { codes, key, recall, secret, witnessed } from "../../../../test/conformance/subject.ts";

const fork = "fork";

test("a fork has the past of its source under an id of its own, and the source does not notice", async () => {
  await using subject = await startScripted();
  const { sessions } = subject.reprise;
  const source = await subject.begin();
  const before = readFileSync(subject.sessionFile(source));
  expect(await sessions.fork({ key, newKey: fork })).toEqual({
    key: fork,
    agent: "coder",
    provider: "scripted",
    messages: 2,
    next: "resume",
    notices: [],
  });
  const { decision } = await sessions.explain({ key: fork });
  expect(decision).toMatchObject({ outcome: "resume", prepare: ["fork"] });
  expect(decision.verdicts.find(({ guard }) => guard === "intact")?.current).toBe("to be forked");

  const first = await subject.send(recall, { key: fork });
  const { session: forked } = first.calls[0]!;
  expect(forked).not.toBe(source);
  expect(witnessed(first, forked)).toBe("resume");
  expect(first.calls).toMatchObject([{ earlier: 2 }]);
  expect(codes(first.turn)).toEqual(["forked"]);
  expect(first.turn.output).toBe(secret);
  // A running total that began with the source's is not the fork's to pay for.
  expect(first.turn.usage?.uncached).toBeLessThan(60);
  expect(readFileSync(subject.sessionFile(source))).toEqual(before);

  const on = await subject.send("echo on");
  expect(witnessed(on, source)).toBe("resume");
  const next = await subject.send(recall, { key: fork });
  expect(witnessed(next, forked)).toBe("resume");
  expect(next.calls).toMatchObject([{ earlier: 4 }]);
  expect(codes(next.turn)).toEqual([]);
  expect(await sessions.verify(fork)).toMatchObject([{ sound: true, history: "same" }]);
});

test("it is taken at once: what the source does afterwards is not in it", async () => {
  await using subject = await startScripted();
  const source = await subject.begin();
  const held = subject.hold();
  const running = subject.send("remember PEAR-12");
  await held.reached();
  await subject.reprise.sessions.fork({ key, newKey: fork });
  held.release();
  await running;

  const seen = await subject.send(recall, { key: fork });
  expect(seen.launches).not.toMatchObject([{ resumed: source }]);
  expect(seen.calls).toMatchObject([{ earlier: 2 }]);
  expect(seen.turn.output).toBe(secret);
});

test("at a turn, by its number or its id, it ends there", async () => {
  await using subject = await startScripted();
  await subject.begin();
  const second = await subject.send("echo second");
  await subject.send("remember PEAR-12");
  for (const [newKey, at] of [
    ["by-number", "2"],
    ["by-id", second.turn.turn.id.slice(0, 8)],
  ] as const) {
    const { messages, next } = await subject.reprise.sessions.fork({ key, newKey, at });
    expect({ messages, next }).toEqual({ messages: 4, next: "resume" });
    const seen = await subject.send(recall, { key: newKey });
    expect(witnessed(seen, seen.calls[0]!.session)).toBe("resume");
    expect(seen.calls).toMatchObject([{ earlier: 4 }]);
    expect(seen.turn.output).toBe(secret);
  }
});

test("S16: a turn of an earlier provider session: a reseed up to it, with the reason", async () => {
  await using subject = await startScripted();
  const first = await subject.begin();
  await subject.send("remember PEAR-12", { continuity: "reseed" });
  const { next, notices } = await subject.reprise.sessions.fork({ key, newKey: fork, at: "1" });
  expect(next).toBe("reseed");
  expect(notices[0]?.text).toBe(
    `Turn 1 of session ${key} ran in an earlier provider session, which is no longer used. The first turn of the fork reseeds from the transcript.`,
  );

  const seen = await subject.send(recall, { key: fork });
  expect(witnessed(seen, first)).toBe("reseed");
  expect(seen.turn.output).toBe(secret);
});

test("a fork whose first turn failed continues, and one that is refused is reseeded", async () => {
  await using subject = await startScripted();
  await subject.begin();
  await subject.reprise.sessions.fork({ key, newKey: fork });
  subject.misbehave("rate-limit");
  const failed = await subject.send("echo failed", { key: fork });
  expect(failed.turn.turn.status).toBe("failed");
  const again = await subject.send(recall, { key: fork });
  expect(witnessed(again, failed.calls[0]!.session)).toBe("resume");
  expect(codes(again.turn)).toContain("unconfirmed-undone");
  expect(again.calls).toMatchObject([{ earlier: 2 }]);

  await subject.reprise.sessions.fork({ key, newKey: "refused" });
  subject.misbehave("refuse");
  const refused = await subject.send(recall, { key: "refused" });
  expect(refused.turn).toMatchObject({
    attempts: [{ decision: { outcome: "resume" } }, { decision: { outcome: "reseed" } }],
    output: secret,
  });
});

test("a fork of a fork that was never used has the same past", async () => {
  await using subject = await startScripted();
  await subject.begin();
  await subject.reprise.sessions.fork({ key, newKey: fork });
  await subject.reprise.sessions.fork({ key: fork, newKey: "third" });
  const seen = await subject.send(recall, { key: "third" });
  expect(seen.calls).toMatchObject([{ earlier: 2 }]);
  expect(seen.turn.output).toBe(secret);
});

test.each([
  ["an unknown key", { key: "unknown", newKey: fork }, "no-session"],
  ["a key that exists", { key, newKey: key }, "session-exists"],
  ["a turn of another session", { key, newKey: fork, at: "other" }, "no-turn"],
  ["a turn that is not there", { key, newKey: fork, at: "99" }, "no-turn"],
  ["a turn that failed", { key, newKey: fork, at: "2" }, "turn-not-confirmed"],
  ["a session without a confirmed turn", { key: "failed", newKey: fork }, "nothing-to-fork"],
])("%s is refused, and nothing is written", async (_, input, code) => {
  await using subject = await startScripted();
  await subject.begin();
  subject.misbehave("unknown-failure");
  await subject.send("echo no");
  subject.misbehave("unknown-failure");
  await subject.send("echo no", { key: "failed" });
  await subject.send("echo other", { key: "other" });
  const { sessions } = subject.reprise;
  await expect(sessions.fork(input)).rejects.toMatchObject({ code });
  expect((await sessions.list()).map((session) => session.key)).toEqual(["failed", "other", key]);
});
