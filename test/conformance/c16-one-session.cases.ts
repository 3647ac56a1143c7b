/** C16 for every provider: one session over several loops, one writer at a time, and forks of it. */

import { expect, test } from "vitest";
import { until } from "../until.ts";
import { testWithHistory } from "./lacks.ts";
import {
  type ModelCall,
  recall,
  remember,
  type StartSubject,
  type Subject,
  secret,
} from "./subject.ts";
import { asked, long, runner, steps, watch } from "./workflow.ts";

/** A loop of two iterations around one agent step. */
const twice = (id: string, step: Readonly<Record<string, unknown>>) => ({
  loop: {
    continue: `${id}-check.success`,
    max: 2,
    onMaximum: "done",
    steps: { [id]: step, [`${id}-check`]: { needs: id, shell: "true" } },
  },
});

/** Two loops, one after the other, whose agents name one session. */
function byName(subject: Subject): string {
  const agent = { ...runner(subject), session: "author" };
  return steps(
    {
      review: twice("coder", { ...agent, prompt: "{{ run.inputs.task }}" }),
      test: { needs: "review", ...twice("fixer", { ...agent, prompt: recall }) },
    },
    { inputs: { task: "string" }, outputs: { text: "fixer.output" } },
  );
}

/** The same, by a sessionId that leads out of the first loop and into the second. */
function byWire(subject: Subject): string {
  const dockSlots = [
    { name: "session", type: "feedback" },
    { name: "again", type: "continue" },
  ];
  const loop = (id: string) => ({
    [id]: { type: "loop", data: { maxIterations: 2, dockSlots } },
    [`${id}-again`]: { type: "constant", in: id, data: { value: true } },
  });
  const wired = (id: string, agent: string) => [
    `${id} dock:session:prev > ${agent} input:sessionId`,
    `${agent} output:sessionId > ${id} dock:session:current`,
    `${agent} output:output > ${id}-again wait`,
    `${id}-again output:value > ${id} dock:again:input`,
  ];
  return long(
    {
      start: { type: "trigger" },
      ...loop("review"),
      coder: { type: "agent", in: "review", data: runner(subject) },
      ...loop("test"),
      fixer: { type: "agent", in: "test", data: { ...runner(subject), prompt: recall } },
      text: { type: "output", data: { name: "text" } },
    },
    [
      "start output:task > review input:task",
      "review input:task:internal > coder input:prompt",
      ...wired("review", "coder"),
      "coder output:sessionId > review output:session:internal",
      "review output:session > test input:session",
      "test input:session:internal > fixer input:sessionId",
      ...wired("test", "fixer"),
      "fixer output:output > test output:text:internal",
      "test output:text > text input:value",
    ],
  );
}

const sessions = (calls: readonly ModelCall[]) => new Set(calls.map(({ session }) => session));

export function oneSession(provider: string, start: StartSubject): void {
  for (const [how, source] of [
    ["by its name", byName],
    ["by a wired sessionId", byWire],
  ] as const)
    test(`C16/${provider}: one session over two loops ${how}`, async () => {
      await using subject = await start();
      const { result, calls } = await watch(subject, () =>
        subject.reprise.runs.start({ source: source(subject), inputs: { task: remember } }),
      );
      expect(result).toMatchObject({ status: "done", outputs: { text: secret } });
      expect(asked(calls)).toEqual([remember, remember, recall, recall]);
      expect(calls.map(({ earlier }) => earlier)).toEqual([0, 2, 4, 6]);
      expect(sessions(calls).size).toBe(1);
      expect(calls.at(-1)!.prompt).not.toContain(secret);
    });

  test(`C16/${provider}: nodes that may run at the same time on one session are refused before anything is launched`, async () => {
    await using subject = await start();
    const agent = { ...runner(subject), session: "author", prompt: remember };
    const parallel = steps({ one: agent, two: agent });
    await expect(subject.reprise.runs.start({ source: parallel })).rejects.toMatchObject({
      code: "bad-workflow",
      exitCode: 2,
      findings: expect.arrayContaining([
        expect.objectContaining({ severity: "error", code: "parallel-session" }),
      ]),
    });
    expect(await subject.reprise.runs.list()).toEqual([]);
    expect(subject.witness.launches()).toEqual([]);
  });

  test(`C16/${provider}: two runs on a session of the workflow: one waits for the other, and continues in it`, async () => {
    await using subject = await start();
    const { runs } = subject.reprise;
    const session = { name: "author", scope: "workflow" };
    const source = steps(
      { coder: { ...runner(subject), session, prompt: "echo {{ run.id }}" } },
      { outputs: { text: "coder.output" } },
    );
    const hold = subject.hold();
    const first = runs.start({ source, id: "first" });
    await hold.reached();
    const second = runs.start({ source, id: "second" });
    await until(() => subject.turns("wf:%").some(({ status }) => status === "queued"));
    expect(subject.witness.launches()).toHaveLength(1);
    hold.release();
    expect(await first).toMatchObject({ status: "done", outputs: { text: "first" } });
    expect(await second).toMatchObject({ status: "done", outputs: { text: "second" } });
    const calls = subject.witness.calls();
    expect(asked(calls)).toEqual(["echo first", "echo second"]);
    expect(calls.map(({ earlier }) => earlier)).toEqual([0, 2]);
    expect(sessions(calls).size).toBe(1);
  });

  testWithHistory(
    provider,
    `C16/${provider}: forks that run at the same time have their own ids and a common past; the session that they came from continues without them`,
    async () => {
      await using subject = await start();
      const agent = runner(subject);
      const fork = { ...agent, fork: "author", needs: "coder" };
      const source = steps(
        {
          coder: { ...agent, session: "author", prompt: remember },
          left: { ...fork, prompt: `${recall}` },
          right: { ...fork, prompt: `${recall}` },
          after: {
            ...agent,
            session: "author",
            needs: ["left", "right"],
            prompt: "echo after",
          },
        },
        { outputs: { left: "left.output", right: "right.output" } },
      );
      const { result, calls } = await watch(subject, () => subject.reprise.runs.start({ source }));
      expect(result).toMatchObject({ status: "done", outputs: { left: secret, right: secret } });
      expect(calls).toHaveLength(4);
      const [first, left, right, after] = calls;
      expect(new Set([first!.session, left!.session, right!.session]).size).toBe(3);
      for (const forked of [left!, right!]) {
        expect(forked.earlier).toBe(2);
        expect(forked.prompt).not.toContain(secret);
      }
      expect(after).toMatchObject({ session: first!.session, earlier: 2 });
    },
  );
}
