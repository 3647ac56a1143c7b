/** C05 for every provider: a first turn that was cut off is continued if a tool ran in it, and otherwise started again from its prompt. */

import { existsSync, readFileSync } from "node:fs";
import { withMark } from "@reprise/providers/launch/process";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { testWithKeptTools } from "./lacks.ts";
import {
  failed,
  gone,
  type Launch,
  recall,
  remember,
  type StartSubject,
  type Subject,
  secret,
  signal,
  timeLimit,
  type Watched,
} from "./subject.ts";

const cutOff = "Your previous turn was cut off. What it already did has taken effect";
const unstarted = "Your previous turn was cut off before it ran a tool.";

export function cutOffCases(provider: string, start: StartSubject): void {
  testWithKeptTools(
    provider,
    `S1 C05/${provider}: a first turn that fails after a tool is resumed by the next one`,
    async () => {
      await using subject = await start();
      subject.misbehave("fail-after-tool");
      const first = await subject.send(remember);
      expect(first.turn).toMatchObject({ turn: { status: "failed" }, attempts: [{ tools: true }] });
      await continued(subject, first.calls[0]!.session);
    },
  );

  // A time-out ends a turn as a cancel does, but a test cannot know how long a real agent needs to reach its tool.
  const ways = [
    "cancel",
    "kill",
    ...(provider === "scripted" ? ["time-out" as const] : []),
  ] as const;
  for (const how of ways)
    testWithKeptTools(
      provider,
      `S1 C05/${provider}: a ${how} in the tool of a first turn leaves its session to the next one`,
      async () => {
        await using subject = await start();
        subject.misbehave("hang-in-tool");
        const first = await cutInTool(subject, how);
        const status = { cancel: "cancelled", "time-out": "failed", kill: "interrupted" }[how];
        expect(first.turn).toMatchObject({ turn: { status }, attempts: [{ tools: true }] });
        await continued(subject, first.calls[0]!.session);
      },
    );

  test(`S1 C05/${provider}: a first turn that is cut off before a tool is started again from its prompt`, async () => {
    await using subject = await start();
    const hold = subject.hold();
    const stop = new AbortController();
    const sent = subject.send(remember, {}, { signal: stop.signal });
    await hold.reached();
    stop.abort();
    const first = await sent;
    hold.release();
    expect(first.turn.turn.status).toBe("cancelled");
    await gone(first.turn.turn.id);

    const next = await subject.send(recall);
    expect(next.turn.decision).toMatchObject({ outcome: "reseed", reason: "prior" });
    expect(next.launches).toMatchObject([{ resumed: null }]);
    expect(next.calls[0]?.session).not.toBe(first.calls[0]?.session);
    expect(next.calls[0]?.prompt).toContain(secret);
    expect(next.calls[0]?.prompt).toContain(unstarted);
    expect(next.turn.output).toContain(secret);
  });

  testWithKeptTools(
    provider,
    `S1 C05/${provider}: a provisional session that is refused is retired, and the reseed names prompt and tools`,
    async () => {
      await using subject = await start();
      subject.misbehave("fail-after-tool");
      const first = await subject.send(remember);
      const id = first.calls[0]!.session;
      subject.misbehave("refuse");
      const next = await subject.send(recall);
      expect(next.launches.map(({ resumed }: Launch) => resumed)).toEqual([id, null]);
      expect(next.turn).toMatchObject({
        turn: { status: "done" },
        attempts: [{ ending: "rejected" }, { ending: "confirmed" }],
      });
      const prompt = next.calls.at(-1)?.prompt ?? "";
      expect(prompt).toContain(secret);
      expect(prompt).toMatch(/this turn was cut off; tools that ran: \w+/);
      expect(prompt).toContain(cutOff);
      const after = await subject.send(recall);
      expect(after.launches).toMatchObject([{ resumed: next.calls.at(-1)?.session }]);
    },
  );

  testWithKeptTools(
    provider,
    `S1 C05/${provider}: finish sends only that the turn was cut off`,
    async () => {
      await using subject = await start();
      subject.misbehave("fail-after-tool");
      const first = await subject.send(remember);
      const id = first.calls[0]!.session;
      const before = subject.witness.calls().length;
      const turn = await subject.reprise.sessions.finish({ key: first.turn.session.key });
      expect(turn).toMatchObject({ turn: { status: "done" }, decision: { outcome: "resume" } });
      const [call] = subject.witness.calls().slice(before);
      expect(call?.session).toBe(id);
      expect(call?.prompt).toContain("Your previous turn was cut off. Finish it now");
      expect(call?.prompt).not.toContain(cutOff);
      expect(call?.prompt).not.toContain(secret);
      await expect(
        subject.reprise.sessions.finish({ key: turn.session.key }),
      ).rejects.toMatchObject({
        code: "nothing-to-finish",
      });
    },
  );
}

/** The next turn resumes the session, its prompt says that the turn was cut off, and the pin becomes confirmed. */
async function continued(subject: Subject, id: string): Promise<void> {
  const next = await subject.send(recall);
  expect(failed(next.turn)).toEqual([]);
  expect(next.launches).toMatchObject([{ resumed: id }]);
  expect(next.calls[0]).toMatchObject({ session: id });
  expect(next.calls[0]?.earlier).toBeGreaterThan(1);
  expect(next.calls[0]?.prompt).toContain(cutOff);
  expect(next.calls[0]?.prompt).not.toContain(secret);
  expect(priorOf(next)).toContain("provisional");
  expect(next.turn.output).toContain(secret);

  const after = await subject.send("echo on");
  expect(after.launches).toMatchObject([{ resumed: id }]);
  expect(after.calls[0]?.prompt).not.toContain("cut off");
  expect(priorOf(after)).toBe("1 confirmed turn");
}

function priorOf({ turn }: Watched): string | undefined {
  return turn.decision?.verdicts.find(({ guard }) => guard === "prior")?.stored;
}

/** Ends the first turn while its tool runs, once the provider has saved the call. */
async function cutInTool(subject: Subject, how: "cancel" | "time-out" | "kill"): Promise<Watched> {
  const stop = new AbortController();
  const ran = Promise.withResolvers<void>();
  let id = "";
  const limit = how === "time-out" ? timeLimit() : null;
  const sent = subject.send(remember, limit ? { timeout: limit.timeout } : {}, {
    signal: stop.signal,
    onOpened: (turn) => {
      id = turn;
    },
    onProgress: ({ type }) => type === "tool" && ran.resolve(),
  });
  await ran.promise;
  const session = subject.witness.calls()[0]!.session;
  const saved = () => {
    const file = subject.sessionFile(session);
    return (
      existsSync(file) &&
      /"type":"(tool_use|toolCall)"|function_call|"role":"tool"/.test(readFileSync(file, "utf8"))
    );
  };
  await until(saved);
  limit?.pass();
  if (how === "cancel") stop.abort();
  if (how === "kill") for (const { pid } of withMark(id)) signal(pid, "SIGKILL");
  const first = await sent;
  await gone(first.turn.turn.id);
  return first;
}
