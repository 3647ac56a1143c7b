/**
 * C20 for every provider that can compact its own session: it is compacted by its own program, under
 * the same id, before the prompt is sent; Reprise continues with its own summary in a new session when
 * that fails.
 */

import { rmSync } from "node:fs";
import type { TurnResult } from "@reprise/core/api/reprise";
import { withMark } from "@reprise/providers/launch/process";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import type { CallerOrder } from "./caller.ts";
import {
  codes,
  gone,
  key,
  type Launch,
  recall,
  type Subject,
  type SubjectOptions,
  secret,
  signal,
  type Watched,
  witnessed,
} from "./subject.ts";

/** `overflow`: the conversation is too long for the model. `overloaded`: the model cannot answer for now. */
export type Trouble = "overflow" | "overloaded";

/** What differs from agent to agent. */
export interface Compacting<S extends Subject> {
  start(options?: SubjectOptions): Promise<S>;
  /** Turns after which a compaction leaves less than there was. */
  lengthen(subject: S): Promise<void>;
  /** The failures of the next launches, one after the other; null for none. */
  runInto(subject: S, ...launches: (Trouble | null)[]): void;
  /** The launch compacts, by its arguments. */
  compacts(launch: Launch): boolean;
  /** Kills Reprise at every moment; else at those that matter most. */
  readonly everyMoment?: boolean;
  /** Calls of the model that were the prompt's, not those of a compaction. */
  promptCalls(seen: Pick<Watched, "calls">): Watched["calls"];
}

/** What Reprise says of the session, except that a child of a real agent may outlive it for a moment. */
export function noticesOf(turn: TurnResult): string[] {
  return codes(turn).filter((code) => code !== "survivors");
}

const tokens = ["cachedRead", "cachedWrite", "uncached", "output"] as const;

type Moment = readonly [dies: NonNullable<CallerOrder["dies"]>, startedThen: boolean];

/** Where Reprise is killed, and whether the compaction had been started then. */
const moments: readonly Moment[] = [
  ["after store.recordLaunch", false],
  ["after launcher.start", true],
  ["after store.endAttempt", true],
];
const otherMoments: readonly Moment[] = [
  ["after store.recordDecision", false],
  ["after launcher.prepare", false],
  ["before store.endAttempt", true],
];

export function compaction<S extends Subject>(provider: string, agent: Compacting<S>): void {
  const { compacts, promptCalls } = agent;

  async function begun(options?: SubjectOptions) {
    const subject = await agent.start(options);
    return { subject, id: await subject.begin() };
  }

  async function long() {
    const { subject, id } = await begun();
    await agent.lengthen(subject);
    return { subject, id };
  }

  /** Launches as `compact`, `resume` and `new`; any session other than `id` is a mistake. */
  function kinds(launches: readonly Launch[], id: string): string[] {
    return launches.map((launch) => {
      if (launch.resumed === null) return "new";
      expect(launch.resumed).toBe(id);
      return compacts(launch) ? "compact" : "resume";
    });
  }

  /** How often the prompt reached the model. */
  function sent({ witness }: Subject, prompt: string): number {
    return promptCalls({ calls: witness.calls() }).filter((call) => call.prompt.includes(prompt))
      .length;
  }

  /** The next turn finds the whole conversation: nothing was lost or added. */
  async function goesOn(subject: S, id: string): Promise<void> {
    const next = await subject.send(recall);
    expect(witnessed(next, id)).toBe("resume");
    expect(noticesOf(next.turn)).toEqual([]);
    expect(next.turn.output).toBe(secret);
  }

  test(`C20/${provider}: asked for ⇒ compacted by its own program, under the same id, also after a restart`, async () => {
    const { subject, id } = await long();
    await using _ = subject;
    const before = await subject.send("echo before");
    await subject.reprise.sessions.compact({ key, focus: "the parser" });
    await subject.open();
    const { decision } = await subject.reprise.sessions.explain({ key });
    const compact = { focus: "the parser" };
    expect(decision).toMatchObject({ outcome: "resume", prepare: ["compact"], compact });

    const seen = await subject.send(recall);
    expect(kinds(seen.launches, id)).toEqual(["compact", "resume"]);
    const [call] = promptCalls(seen);
    expect(call).toMatchObject({ session: id });
    expect(call!.earlier).toBeLessThan(before.calls.at(-1)!.earlier);
    expect(seen.turn).toMatchObject({
      turn: { status: "done" },
      decision: { outcome: "resume", prepare: [] },
      attempts: [{ decision: { compact }, ending: "compacted" }, { ending: "confirmed" }],
      output: secret,
    });
    expect(noticesOf(seen.turn)).toEqual(["compaction"]);
    expect((await subject.reprise.sessions.show(key)).compaction).toBeNull();
    await goesOn(subject, id);
  });

  test(`C20/${provider}: what a compaction used is part of the turn`, async () => {
    const { subject } = await begun();
    await using _ = subject;
    await subject.reprise.sessions.compact({ key });
    const { turn } = await subject.send(recall);
    const [first, second] = turn.attempts.map(({ usage }) => usage!);
    expect(first!.output).toBeGreaterThan(0);
    // Pi asks for its summary in a request that begins like no other.
    expect((first!.cachedRead ?? 0) + (first!.uncached ?? 0)).toBeGreaterThan(0);
    // Not every service reports what is written to its cache.
    for (const kind of tokens)
      expect(turn.usage![kind] ?? 0).toBe((first![kind] ?? 0) + (second![kind] ?? 0));
    const { turns } = await subject.reprise.usage({ key });
    expect(turns![0]!.output).toEqual({ tokens: turn.usage!.output, known: "measured" });
  });

  test(`C20/${provider}: compacted, then lost ⇒ the checkpoint has what was compacted`, async () => {
    const { subject, id } = await long();
    await using _ = subject;
    const before = await subject.send("echo before");
    await subject.reprise.sessions.compact({ key });
    // The prompt fails, so that the newest checkpoint is that of the compaction.
    agent.runInto(subject, null, "overloaded");
    const { turn } = await subject.send("echo fails");
    expect(turn).toMatchObject({
      turn: { status: "failed" },
      attempts: [{ ending: "compacted" }, { ending: "transient" }],
    });
    rmSync(subject.sessionFile(id));
    const next = await subject.send(recall);
    expect(witnessed(next, id)).toBe("resume");
    expect(noticesOf(next.turn)).toEqual(["restored"]);
    expect(next.turn.output).toBe(secret);
    expect(next.calls[0]!.earlier).toBeLessThan(before.calls.at(-1)!.earlier);
  });

  test(`C20/${provider}: over the budget of its context ⇒ compacted by its own program`, async () => {
    const { subject, id } = await begun();
    await using _ = subject;
    const limits = { "budget.maxTokens": 1, "budget.over": "compact" };
    await subject.reprise.sessions.set({ key, settings: limits });
    const seen = await subject.send(recall);
    expect(kinds(seen.launches, id)).toEqual(["compact", "resume"]);
    expect(seen.turn.output).toBe(secret);
    expect(seen.turn.attempts[0]!.decision.verdicts.at(-1)).toMatchObject({
      guard: "budget",
      passed: true,
      current: expect.stringMatching(/^context \d+ > 1 tokens$/),
    });
    await subject.reprise.sessions.set({ key, settings: { "budget.maxTokens": 10_000_000 } });
    await goesOn(subject, id);
  });

  test(`C20/${provider}: overflow ⇒ compacted by its own program, and the prompt tried once more in the same session`, async () => {
    const { subject, id } = await long();
    await using _ = subject;
    agent.runInto(subject, "overflow");
    const seen = await subject.send(recall);
    expect(kinds(seen.launches, id)).toEqual(["resume", "compact", "resume"]);
    expect(seen.turn).toMatchObject({
      turn: { status: "done" },
      attempts: [
        { error: { code: "session-overflow" } },
        { ending: "compacted" },
        { ending: "confirmed" },
      ],
      output: secret,
    });
    expect(noticesOf(seen.turn)).toEqual(["second-attempt", "compaction"]);
    // The prompt that did not fit was removed first, so the session has it once.
    const before = promptCalls(seen).at(-1)!.earlier;
    const next = await subject.send(recall);
    expect(next.calls).toMatchObject([{ session: id, earlier: before + 2 }]);
    expect(noticesOf(next.turn)).toEqual([]);
  });

  test(`C20/${provider}: overflow, also when compacted ⇒ the turn fails, and the prompt is not tried a third time`, async () => {
    const { subject, id } = await begun();
    await using _ = subject;
    agent.runInto(subject, "overflow", null, "overflow");
    const seen = await subject.send("echo too long");
    expect(kinds(seen.launches, id)).toEqual(["resume", "compact", "resume"]);
    expect(seen.turn).toMatchObject({
      turn: { status: "failed" },
      error: { code: "session-overflow" },
    });
    const next = await subject.send(recall);
    expect(witnessed(next, id)).toBe("reseed");
    expect(next.turn.output).toBe(secret);
  });

  test(`C20/${provider}: overflow, and not to be compacted ⇒ retired, and the turn continues with Reprise's own summary`, async () => {
    const { subject, id } = await begun();
    await using _ = subject;
    agent.runInto(subject, "overflow", "overflow");
    const seen = await subject.send(recall);
    expect(kinds(seen.launches, id)).toEqual(["resume", "compact", "new"]);
    expect(seen.turn).toMatchObject({
      decision: { outcome: "reseed", reason: "healthy", compact: { focus: null } },
      output: secret,
    });
    expect(noticesOf(seen.turn)).toEqual(["second-attempt", "not-compacted"]);
    const next = await subject.send("echo on");
    expect(next.launches).toMatchObject([{ resumed: seen.calls.at(-1)!.session }]);
  });

  for (const how of ["unknown-failure", "refuse", "new-session", "ghost"] as const)
    test(`C20/${provider}: a compaction that fails (${how}) ⇒ a new session with Reprise's own summary, in the same turn`, async () => {
      const { subject, id } = await begun();
      await using _ = subject;
      await subject.reprise.sessions.compact({ key, focus: "the parser" });
      subject.misbehave(how);
      const seen = await subject.send(recall);
      expect(kinds(seen.launches, id)).toEqual(["compact", "new"]);
      expect(seen.turn).toMatchObject({
        turn: { status: "done" },
        decision: { outcome: "reseed", compact: { focus: "the parser" } },
        attempts: [{ error: { code: "not-compacted" } }, { ending: "confirmed" }],
        output: secret,
      });
      expect(noticesOf(seen.turn)).toEqual(["not-compacted", "summary"]);
      expect(promptCalls(seen).at(-1)!.prompt).toContain("<reprise:focus>\nthe parser");
      const next = await subject.send("echo on");
      expect(next.launches).toMatchObject([{ resumed: seen.calls.at(-1)!.session }]);
      expect((await subject.reprise.sessions.show(key)).compaction).toBeNull();
    });

  test(`C20/${provider}: a compaction that fails for now ⇒ the turn fails, nothing was sent, and the next one compacts`, async () => {
    const { subject, id } = await begun();
    await using _ = subject;
    await subject.reprise.sessions.compact({ key });
    subject.misbehave("server-error");
    const failed = await subject.send("echo later");
    expect(kinds(failed.launches, id)).toEqual(["compact"]);
    expect(failed.turn).toMatchObject({ turn: { status: "failed" }, error: { code: "transient" } });
    expect(sent(subject, "echo later")).toBe(0);

    const seen = await subject.send(recall);
    expect(kinds(seen.launches, id)).toEqual(["compact", "resume"]);
    expect(seen.turn.output).toBe(secret);
    await goesOn(subject, id);
  });

  test(`C20/${provider}: its process is killed while it compacts ⇒ reported, nothing was sent, and the session continues`, async () => {
    const { subject, id } = await begun();
    await using _ = subject;
    await subject.reprise.sessions.compact({ key });
    const hold = subject.hold();
    const sending = subject.send("echo later");
    await hold.reached();
    for (const { pid } of withMark(subject.turns().at(-1)!.id)) signal(pid, "SIGKILL");
    hold.release();
    expect((await sending).turn.turn.status).toBe("interrupted");
    expect(sent(subject, "echo later")).toBe(0);

    const seen = await subject.send(recall);
    expect(kinds(seen.launches, id)).toEqual(["compact", "resume"]);
    expect(seen.turn.output).toBe(secret);
  });

  test(`C20/${provider}: instructions are sent again to a session that was compacted, once`, async () => {
    const { subject } = await begun({ instructions: "Mind the gap." });
    await using _ = subject;
    const prompts = async () =>
      promptCalls(await subject.send("echo on")).map((call) => call.prompt);
    expect((await prompts()).join()).not.toContain("Mind the gap.");
    await subject.reprise.sessions.compact({ key });
    expect((await prompts()).join()).toContain("Mind the gap.");
    expect((await prompts()).join()).not.toContain("Mind the gap.");
  });

  for (const [dies, startedThen] of [...moments, ...(agent.everyMoment ? otherMoments : [])])
    test(`C20/${provider}: Reprise is killed ${dies} of a compaction ⇒ ${startedThen ? "it is adopted, and the prompt sent once" : "reported, and nothing is started"}`, async () => {
      const { subject, id } = await begun();
      await using _ = subject;
      await subject.reprise.sessions.compact({ key });
      const launches = subject.witness.launches().length;
      const send = { key, agent: "coder", prompt: "echo once" };
      const { signal: by } = await subject.caller({ dies, send }).ended;
      expect(by).toBe("SIGKILL");
      const { id: turn } = subject.turns().at(-1)!;
      // The witness sees a program that was just started before it is gone.
      if (startedThen) await until(() => subject.witness.launches().length > launches);
      await gone(turn);

      await subject.open();
      const recovered = await subject.reprise.turns.why(turn);
      expect(recovered.turn.status).toBe(startedThen ? "done" : "interrupted");
      expect(sent(subject, "echo once")).toBe(startedThen ? 1 : 0);
      const since = subject.witness.launches().slice(launches);
      expect(kinds(since, id)).toEqual(startedThen ? ["compact", "resume"] : []);
      const { compaction: asked } = await subject.reprise.sessions.show(key);
      expect(asked === null).toBe(startedThen);

      const next = await subject.send(recall);
      expect(kinds(next.launches, id)).toEqual(startedThen ? ["resume"] : ["compact", "resume"]);
      expect(next.turn.output).toBe(secret);
      expect(sent(subject, "echo once")).toBe(startedThen ? 1 : 0);
    });

  test(`C20/${provider}: Reprise is killed between an overflow and the compaction ⇒ the turn continues where it was`, async () => {
    const { subject, id } = await begun();
    await using _ = subject;
    agent.runInto(subject, "overflow");
    const launches = subject.witness.launches().length;
    const send = { key, agent: "coder", prompt: recall };
    const { signal: by } = await subject.caller({ dies: "after store.endAttempt", send }).ended;
    expect(by).toBe("SIGKILL");
    await subject.open();
    const since = subject.witness.launches().slice(launches);
    expect(kinds(since, id)).toEqual(["resume", "compact", "resume"]);
    const recovered = (await subject.reprise.sessions.show(key)).recent[0]!;
    expect(recovered).toMatchObject({ status: "done", outcome: "resume", output: secret });
    await goesOn(subject, id);
  });
}
