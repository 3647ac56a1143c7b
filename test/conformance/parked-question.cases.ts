/** A question that was cancelled, or whose session was forked or exported, does not come back. */

import { rmSync } from "node:fs";
import { questionTexts } from "@reprise/core/session/question";
import { expect, test } from "vitest";
import { key, recall, type Subject, secret } from "./subject.ts";

const other = "other";
const task = "build it";

/** `ask` makes the agent ask this in its next turn. */
export function parkedQuestions<S extends Subject>(
  provider: string,
  { start, ask }: { start: () => Promise<S>; ask: (subject: S, question: string) => void },
): void {
  async function park(): Promise<S> {
    const subject = await start();
    await subject.begin();
    ask(subject, "Which database?");
    const { turn } = await subject.send(task);
    expect(turn.turn.status).toBe("waiting");
    return subject;
  }

  /** How often the model was sent this as its prompt. */
  const sent = (subject: Subject, prompt: string) =>
    subject.witness.calls().filter((call) => call.prompt.split("\n").at(-1) === prompt).length;

  test(`S0b: ${provider}: after a cancelled question the next answer is the turn's own`, async () => {
    await using subject = await park();
    await subject.reprise.turns.cancel(key);
    const { turn } = await subject.send("echo hello");
    expect(turn).toMatchObject({ turn: { status: "done" }, output: "hello", asked: null });
    expect(turn.decision?.outcome).toBe("resume");
    expect(sent(subject, "echo hello")).toBe(1);
    expect(await subject.reprise.inbox.list()).toEqual([]);
    expect((await subject.send(recall)).turn.output).toBe(secret);
  });

  test(`S0b: ${provider}: after a cancelled question the next one is asked in its own words`, async () => {
    await using subject = await park();
    await subject.reprise.turns.cancel(key);
    ask(subject, "Which port?");
    const { turn } = await subject.send("build another");
    expect(turn.turn.status).toBe("waiting");
    expect(questionTexts(turn.asked!.question)).toEqual(["Which port?"]);
    expect(turn.asked!.lost).toEqual([]);
    const answered = await subject.reprise.turns.answer({ turn: turn.turn.id, text: "5432" });
    expect(answered.turn.status).toBe("done");
    expect(subject.witness.wire().at(-1)).toContain("5432");
    expect(subject.witness.wire().at(-1)).not.toContain("These were asked at the same time");
  });

  test(`S10: ${provider}: only the turn after a question begins with the line that it is closed`, async () => {
    await using subject = await park();
    const closed = "Earlier questions and forms are closed.";
    const noted = () => subject.witness.calls().at(-1)!.prompt.startsWith(closed);
    const [item] = await subject.reprise.inbox.list();
    await subject.reprise.inbox.answer({ item: item!.id, text: "SQLite", by: "ann" });
    const turns = [];
    for (const prompt of ["echo one", "echo two"]) {
      const { turn } = await subject.send(prompt);
      turns.push({ outcome: turn.decision?.outcome, noted: noted() });
    }
    expect(turns).toEqual([
      { outcome: "resume", noted: true },
      { outcome: "resume", noted: false },
    ]);
  });

  test(`S0b: ${provider}: a fork of a session that waits ends before the question, and both continue`, async () => {
    await using subject = await park();
    const { sessions, turns } = subject.reprise;
    const forked = await sessions.fork({ key, newKey: other });
    expect(forked).toMatchObject({ messages: 2, next: "resume" });
    expect(forked.notices).toMatchObject([{ code: "fork-before-question" }]);
    const { turn } = await subject.send(recall, { key: other });
    expect(turn).toMatchObject({ turn: { status: "done" }, output: secret, asked: null });
    expect(turn.decision?.outcome).toBe("resume");
    expect(subject.witness.wire().at(-1)).not.toContain(task);

    const answered = await turns.answer({ turn: key, text: "SQLite" });
    expect(answered).toMatchObject({ turn: { status: "done" }, decision: { outcome: "resume" } });
    expect(sent(subject, task)).toBeGreaterThan(0);
    expect(subject.witness.wire().at(-1)).toContain("SQLite");
  });

  test(`S0b: ${provider}: a bundle of a session that waits ends before the question`, async () => {
    await using subject = await park();
    const bundle = await subject.reprise.sessions.export({ key });
    await subject.reprise.turns.cancel(key);
    await subject.reprise.sessions.purge(key);
    // A purge leaves the provider's own file, which an import does not overwrite.
    rmSync(subject.sessionFile(subject.witness.calls()[0]!.session));
    const imported = await subject.reprise.sessions.import({ bundle, key: other });
    expect(imported).toMatchObject({ messages: 2, next: "resume" });
    const { turn } = await subject.send(recall, { key: other });
    expect(turn).toMatchObject({ turn: { status: "done" }, output: secret, asked: null });
    expect(turn.decision?.outcome).toBe("resume");
    expect(subject.witness.wire().at(-1)).not.toContain(task);
  });

  test(`S0b: ${provider}: a question that was cancelled and then forked does not come back either`, async () => {
    await using subject = await park();
    await subject.reprise.turns.cancel(key);
    await subject.reprise.sessions.fork({ key, newKey: other });
    const { turn } = await subject.send("echo hello", { key: other });
    expect(turn).toMatchObject({ turn: { status: "done" }, output: "hello", asked: null });
    expect(turn.decision?.outcome).toBe("resume");
  });

  test(`S0b: ${provider}: a session that waits in its first turn has nothing to fork or export`, async () => {
    await using subject = await start();
    ask(subject, "Which database?");
    await subject.send(task);
    const { sessions } = subject.reprise;
    await expect(sessions.fork({ key, newKey: other })).rejects.toMatchObject({
      code: "nothing-to-fork",
      exitCode: 2,
    });
    await expect(sessions.export({ key })).rejects.toMatchObject({
      code: "nothing-to-export",
      exitCode: 2,
    });
  });
}
