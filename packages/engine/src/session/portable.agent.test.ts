/** Forks, moves, adoption and bundles with the real agents: what the model was sent shows what a session has. */

import { existsSync, readFileSync, renameSync } from "node:fs";
import { inputTokens } from "@reprise/core/usage/usage";
import { beforeAll, describe, expect, test } from "vitest";
import { installAgents, leftOut } from "../../../../test/agents/agents.ts";
import { startClaude } from "../../../../test/conformance/claude-subject.ts";
import { type CodexSubject, startCodex } from "../../../../test/conformance/codex-subject.ts";
import { typeNatively } from "../../../../test/conformance/native.ts";
import { codes, key, recall, secret, witnessed } from "../../../../test/conformance/subject.ts";

beforeAll(async () => {
  const problem = (await installAgents()).find((installed) => installed.problem !== null)?.problem;
  if (problem) throw new Error(problem);
});

/** The last request that the model got. */
const sent = ({ witness }: CodexSubject) => witness.calls().at(-1)!;

describe.skipIf(leftOut("codex") !== null)("codex", () => {
  test("codex forks by its own command: two ids, one past, and the source continues", async () => {
    await using subject = await startCodex();
    const source = await subject.begin();
    const created = await subject.reprise.sessions.fork({ key, newKey: "fork" });
    expect(created).toMatchObject({ next: "resume", notices: [] });
    const before = readFileSync(subject.sessionFile(source));

    const first = await subject.send(recall, { key: "fork" });
    const forked = sent(subject).session;
    expect(forked).not.toBe(source);
    expect(first.launches[0]?.argv).toEqual(expect.arrayContaining(["fork", source]));
    expect(first.turn).toMatchObject({ decision: { outcome: "resume", prepare: ["fork"] } });
    expect(first.calls).toMatchObject([{ earlier: 2 }]);
    expect(codes(first.turn)).toContain("forked");
    expect(first.turn.output).toBe(secret);
    expect(readFileSync(subject.sessionFile(source))).toEqual(before);

    const on = await subject.send("echo on");
    expect(witnessed(on, source)).toBe("resume");
    const next = await subject.send(recall, { key: "fork" });
    expect(witnessed(next, forked)).toBe("resume");
    expect(next.calls).toMatchObject([{ earlier: 4 }]);
    // Running totals begin with those of the source, and are not paid for twice.
    expect(inputTokens(next.turn.usage!)).toBeLessThan(15_000);
    expect(await subject.reprise.sessions.verify("fork")).toMatchObject([
      { sound: true, history: "same" },
    ]);
  });

  test("a source that has continued, and a turn in the middle: a reported reseed up to there", async () => {
    await using subject = await startCodex();
    const source = await subject.begin();
    await subject.reprise.sessions.fork({ key, newKey: "early" });
    await subject.send("remember PEAR-12");
    const early = await subject.send(recall, { key: "early" });
    expect(witnessed(early, source)).toBe("reseed");
    expect(codes(early.turn)).toContain("fork-reseeded");
    expect(early.turn.output).toBe(secret);

    const middle = await subject.reprise.sessions.fork({ key, newKey: "middle", at: "1" });
    expect(middle).toMatchObject({ messages: 2, next: "reseed", notices: [{}] });
    const seen = await subject.send(recall, { key: "middle" });
    expect(witnessed(seen, source)).toBe("reseed");
    expect(codes(seen.turn)).toContain("fork-reseeded");
    expect(seen.turn.output).toBe(secret);
  });

  test("a fork is complete only with its source: that is watched, restored and exported", async () => {
    await using subject = await startCodex();
    const source = await subject.begin();
    await subject.reprise.sessions.fork({ key, newKey: "fork" });
    await subject.send("echo forked", { key: "fork" });
    const forked = sent(subject).session;
    const bundle = await subject.reprise.sessions.export({ key: "fork" });

    const file = subject.sessionFile(source);
    renameSync(file, `${subject.root}/hidden`);
    expect(await subject.reprise.sessions.verify("fork")).toMatchObject([
      { history: "restorable" },
    ]);
    const restored = await subject.send(recall, { key: "fork" });
    expect(witnessed(restored, forked)).toBe("resume");
    expect(codes(restored.turn)).toContain("restored");
    expect(restored.calls).toMatchObject([{ earlier: 4 }]);
    expect(existsSync(file)).toBe(true);

    await using other = await startCodex();
    await other.reprise.sessions.import({ bundle });
    const seen = await other.send(recall, { key: "fork" });
    expect(witnessed(seen, forked)).toBe("resume");
    expect(seen.calls).toMatchObject([{ earlier: 4 }]);
    expect(seen.turn.output).toBe(secret);
  });

  test("a conversation begun in codex itself is adopted, and the model has it all", async () => {
    await using subject = await startCodex();
    const id = await typeNatively(subject, `remember ${secret}`);
    const adopt = { provider: "codex", id, key, agent: "coder" };
    expect(await subject.reprise.sessions.adopt(adopt)).toMatchObject({
      messages: 2,
      next: "resume",
    });
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.calls).toMatchObject([{ earlier: 2 }]);
    expect(seen.turn.output).toBe(secret);
    expect(inputTokens(seen.turn.usage!)).toBeLessThan(15_000);
    const reseeded = await subject.send(recall, { continuity: "reseed" });
    expect(witnessed(reseeded, id)).toBe("reseed");
  });

  test("exported on one home, imported on another with another folder: the model has the earlier turns", async () => {
    await using subject = await startCodex();
    const id = await subject.begin();
    await subject.send("echo second");
    const bundle = await subject.reprise.sessions.export({ key });

    await using other = await startCodex();
    const folder = other.newFolder("elsewhere");
    const created = await other.reprise.sessions.import({ bundle, key: "here", folder });
    expect(created).toMatchObject({ messages: 4, next: "resume" });
    const seen = await other.send(recall, { key: "here", folder });
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.calls).toMatchObject([{ earlier: 4 }]);
    expect(seen.turn.output).toBe(secret);
  });

  test("moved to another home and another folder, a thread resumes there", async () => {
    await using subject = await startCodex();
    const id = await subject.begin();
    const folder = subject.newFolder("elsewhere");
    await subject.changeRuntime();
    const { decision } = await subject.reprise.sessions.explain({ key, folder });
    expect(decision).toMatchObject({ outcome: "reseed" });
    const home = `${subject.root}/another-codex`;
    expect(await subject.reprise.sessions.move({ key, folder, home })).toMatchObject({
      place: home,
      notices: [],
    });
    const seen = await subject.send(recall, { folder });
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.turn.output).toBe(secret);
  });
});

describe.skipIf(leftOut("claude") !== null)("claude", () => {
  test("claude forks by copy, at the end and at a turn, and the source continues", async () => {
    await using subject = await startClaude();
    const source = await subject.begin();
    await subject.send("remember PEAR-12");
    const before = readFileSync(subject.sessionFile(source));
    const { sessions } = subject.reprise;
    expect(await sessions.fork({ key, newKey: "end" })).toMatchObject({ next: "resume" });
    expect(await sessions.fork({ key, newKey: "middle", at: "1" })).toMatchObject({
      messages: 2,
      next: "resume",
    });
    for (const [forked, earlier, output] of [
      ["end", 4, "PEAR-12"],
      ["middle", 2, secret],
    ] as const) {
      const seen = await subject.send(recall, { key: forked });
      const { session } = seen.calls[0]!;
      expect(session).not.toBe(source);
      expect(witnessed(seen, session)).toBe("resume");
      expect(seen.calls).toMatchObject([{ earlier }]);
      expect(seen.turn.output).toBe(output);
      const next = await subject.send("echo on", { key: forked });
      expect(witnessed(next, session)).toBe("resume");
      expect(next.calls).toMatchObject([{ earlier: earlier + 2 }]);
    }
    expect(readFileSync(subject.sessionFile(source))).toEqual(before);
    expect(witnessed(await subject.send(recall), source)).toBe("resume");
  });

  test("exported, imported and moved, each into another folder, claude finds it there", async () => {
    await using subject = await startClaude();
    const id = await subject.begin();
    const bundle = await subject.reprise.sessions.export({ key });

    await using other = await startClaude();
    const folder = other.newFolder("elsewhere");
    await other.reprise.sessions.import({ bundle, folder });
    const seen = await other.send(recall, { folder });
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.calls).toMatchObject([{ earlier: 2 }]);
    expect(seen.turn.output).toBe(secret);

    const third = other.newFolder("third");
    await other.reprise.sessions.move({ key, folder: third });
    expect(other.sessionFile(id)).toContain("-third/");
    const moved = await other.send(recall, { folder: third });
    expect(witnessed(moved, id)).toBe("resume");
    expect(moved.calls).toMatchObject([{ earlier: 4 }]);
    expect(codes(moved.turn)).toEqual([]);
  });

  test("a conversation begun in claude itself is adopted", async () => {
    await using subject = await startClaude();
    const id = await typeNatively(subject, `remember ${secret}`);
    await subject.reprise.sessions.adopt({ provider: "claude", id, key, agent: "coder" });
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.turn.output).toBe(secret);
  });
});
