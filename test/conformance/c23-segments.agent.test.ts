/** C23 and C21 on the real codex: a thread that a rewind continues in a second file. */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeCodexHome } from "../agents/codex-home.ts";
import { rewindNatively } from "./codex-screen.ts";
import { type CodexSubject, startCodex } from "./codex-subject.ts";
import { onAgent } from "./real-subject.ts";
import { codes, key, recall, secret, type Watched, witnessed } from "./subject.ts";

/** The files of the thread, the one that codex continues last. */
function rollouts({ agentHome }: CodexSubject, thread: string): string[] {
  const names = globSync(`sessions/**/rollout-*${thread}*.jsonl`, { cwd: agentHome });
  return names.toSorted().map((name) => join(agentHome, name));
}

function expectResumed(seen: Watched, id: string, earlier: number, output: string): void {
  expect(witnessed(seen, id)).toBe("resume");
  expect(seen.calls).toMatchObject([{ earlier }]);
  expect(seen.turn.output).toBe(output);
}

onAgent("codex", "C23", () => {
  test("S0c C23/codex: a rewind outside of Reprise is followed, restored, forked, exported and moved", async () => {
    await using subject = await startCodex();
    const { reprise } = subject;
    const id = await subject.begin();
    await subject.send("echo second");
    await subject.send("echo third");
    await rewindNatively(subject, id, "remember PEAR-12");
    expect(rollouts(subject, id)).toHaveLength(2);
    expect(await reprise.sessions.verify(key)).toMatchObject([{ history: "rewound", sound: true }]);
    const followed = await subject.send(recall);
    expectResumed(followed, id, 4, "PEAR-12");
    expect(codes(followed.turn)).toContain("rewound");

    // A damaged second file is put back from the checkpoint, where codex looks for it.
    const [, segment = ""] = rollouts(subject, id);
    writeFileSync(segment, readFileSync(segment, "utf8").replaceAll("PEAR-12", "PLUM-99"));
    const restored = await subject.send(recall);
    expectResumed(restored, id, 6, "PEAR-12");
    expect(codes(restored.turn)).toContain("restored");

    await reprise.sessions.fork({ key, newKey: "fork" });
    const forked = await subject.send(recall, { key: "fork" });
    expect(forked.turn).toMatchObject({ decision: { outcome: "resume" }, output: "PEAR-12" });
    expect(forked.calls).toMatchObject([{ earlier: 8 }]);
    expect(await reprise.sessions.verify("fork")).toMatchObject([{ history: "same" }]);

    const bundle = await reprise.sessions.export({ key });
    await using other = await startCodex();
    await other.reprise.sessions.import({ bundle });
    expectResumed(await other.send(recall), id, 8, "PEAR-12");

    const home = join(subject.root, "moved");
    await makeCodexHome(home, subject.model);
    await reprise.sessions.move({ key, home });
    await reprise.agents.set({ name: "coder", settings: { home } });
    expectResumed(await subject.send(recall), id, 8, "PEAR-12");
  });

  test("S0c C21/codex: a second file that cannot be read is replaced: what was confirmed goes where codex looks", async () => {
    await using subject = await startCodex();
    const id = await subject.begin();
    await subject.send("echo second");
    await subject.send("echo third");
    await rewindNatively(subject, id, "remember PEAR-12");
    const [, segment = ""] = rollouts(subject, id);
    writeFileSync(segment, "no rollout");
    expect(await subject.reprise.sessions.verify(key)).toMatchObject([{ history: "restorable" }]);
    const restored = await subject.send(recall);
    expectResumed(restored, id, 6, secret);
    expect(codes(restored.turn)).toContain("restored");
    expectResumed(await subject.send(recall), id, 8, secret);
  });

  test("S0c C23/codex: a rewind after which nothing was said is followed too", async () => {
    await using subject = await startCodex();
    const id = await subject.begin();
    await subject.send("remember PEAR-12");
    await subject.send("echo third");
    await rewindNatively(subject, id, null);
    const seen = await subject.send(recall);
    expectResumed(seen, id, 2, secret);
    expect(codes(seen.turn)).toContain("rewound");
    expectResumed(await subject.send(recall), id, 4, secret);
  });
});
