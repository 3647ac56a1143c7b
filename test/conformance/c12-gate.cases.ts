/** C12 for every provider: days pass between a gate's question and its answer, and nothing is lost. */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { InboxItemDetail } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import { Clock, day } from "./c13-keeping.cases.ts";
import { Database } from "./database.ts";
import { testWithHistory } from "./lacks.ts";
import { recall, remember, type StartSubject, type Subject, secret, witnessed } from "./subject.ts";
import { asked, runner, steps, watch } from "./workflow.ts";

export const run = "release";
export const coder = `wf:${run}:agent:coder`;

/** An agent, a shell that leaves a line in `log`, a gate, and the same agent again. */
export function weekend(subject: Subject, gate: Readonly<Record<string, unknown>> = {}): string {
  const agent = { ...runner(subject), session: "coder" };
  return steps(
    {
      coder: { ...agent, prompt: remember },
      build: { needs: "coder", shell: "echo built >> log" },
      approve: { needs: "build", gate: { title: "Take it over?", ...gate } },
      after: { ...agent, needs: "approve", prompt: recall },
    },
    { outputs: { text: "after.output" } },
  );
}

export interface ParkedRun {
  readonly item: string;
  /** The coder's provider session. */
  readonly session: string;
}

/** Starts a run that reaches its gate; returns what waits there. */
export async function park(subject: Subject, source = weekend(subject)): Promise<ParkedRun> {
  const seen = await watch(subject, () => subject.reprise.runs.start({ source, id: run }));
  expect(seen.result.status).toBe("waiting");
  expect(asked(seen.calls)).toEqual([remember]);
  return { item: seen.result.waitsFor[0]!, session: seen.calls[0]!.session };
}

/** How often the shell ran, by the lines that it wrote. */
export function built({ folder }: Subject): number {
  return readFileSync(join(folder, "log"), "utf8").trim().split("\n").length;
}

function shown({ resumability }: InboxItemDetail) {
  return resumability.map(({ key, decision }) => ({
    key,
    outcome: decision.outcome,
    reason: decision.reason,
    prepare: "prepare" in decision ? decision.prepare : undefined,
  }));
}

export function gateOfDays(provider: string, start: StartSubject): void {
  test(`C12/${provider}: restarts, weeks, prune --enforce and resets before the answer ⇒ the same session continues, and nothing runs again`, async () => {
    const clock = new Clock();
    const policies = ["daily", "idle"].map((mode) => ({
      settings: {
        reset: { mode, idleMinutes: 30 },
        archiveAfter: "1d",
        prune: { after: "1d", maxEntries: 1, mode: "enforce" },
      },
      now: clock.now,
    }));
    await using subject = await start(policies[0]!);
    await subject.begin({ key: "idle" });
    const { item, session } = await park(subject);
    const meanwhile = await watch(subject, async () => {
      for (const options of [...policies, ...policies]) {
        clock.at += 3 * day;
        await subject.open(options);
        const { sessions } = subject.reprise;
        await sessions.prune({ enforce: true });
        await expect(sessions.archive(coder)).rejects.toMatchObject({ code: "held", exitCode: 1 });
        await expect(sessions.purge(coder)).rejects.toMatchObject({ code: "held", exitCode: 1 });
        expect(await subject.reprise.runs.recover()).toEqual([]);
      }
    });
    expect(meanwhile.launches).toEqual([]);
    // A session that is not held is gone, so the policies did run.
    await expect(subject.reprise.sessions.show("idle")).rejects.toMatchObject({ exitCode: 4 });

    const { inbox } = subject.reprise;
    const seen = await watch(subject, () => inbox.answer({ item, choice: "approve", by: "ann" }));
    expect(witnessed(seen, session)).toBe("resume");
    expect(seen.calls).toMatchObject([{ session, earlier: 2 }]);
    expect(seen.result).toMatchObject({ given: true, run: { status: "done" } });
    expect((await subject.reprise.runs.show(run)).outputs).toEqual({ text: secret });
    expect(built(subject)).toBe(1);
  });

  testWithHistory(
    provider,
    `C12/${provider}: what an answer will do to the session is shown before, and then happens`,
    async () => {
      await using subject = await start();
      const { item, session } = await park(subject);
      const { inbox } = subject.reprise;
      const show = async () => shown(await inbox.show(item));
      expect(await show()).toMatchObject([{ key: coder, outcome: "resume", prepare: [] }]);

      rmSync(subject.sessionFile(session));
      const looked = await watch(subject, show);
      expect(looked.result).toMatchObject([
        { key: coder, outcome: "resume", prepare: ["restore"] },
      ]);
      {
        using database = new Database(subject);
        database.dropCheckpoints();
      }
      expect(await show()).toMatchObject([{ key: coder, outcome: "reseed", reason: "intact" }]);
      expect(looked.launches).toEqual([]);

      const seen = await watch(subject, () => inbox.answer({ item, choice: "approve", by: "ann" }));
      expect(witnessed(seen, session)).toBe("reseed");
      expect((await subject.reprise.runs.show(run)).outputs).toEqual({ text: secret });
    },
  );

  test(`C12/${provider}: a gate in a loop asks once in each iteration, with an item of its own`, async () => {
    await using subject = await start();
    const source = steps(
      {
        review: {
          loop: {
            until: "approve.approved",
            max: 4,
            steps: {
              coder: { ...runner(subject), prompt: remember },
              approve: { needs: "coder", gate: "Good enough?" },
            },
          },
        },
      },
      { outputs: { text: "coder.output" } },
    );
    const { item: first, session } = await park(subject, source);
    const answer = async (item: string, choice: string, comment: string) => {
      await subject.open();
      const { inbox } = subject.reprise;
      return watch(subject, () => inbox.answer({ item, choice, comment, by: "ann" }));
    };
    const rejected = await answer(first, "reject", recall);
    const feedback = expect.stringContaining(recall);
    expect(rejected.calls).toMatchObject([{ session, earlier: 2, prompt: feedback }]);
    const open = await subject.reprise.inbox.list();
    expect(open).toMatchObject([{ run, execution: "review/2/approve", resolution: null }]);
    const [{ id: second } = { id: "" }] = open;
    expect(second).not.toBe(first);

    const again = await answer(first, "reject", recall);
    expect(again).toMatchObject({
      calls: [],
      result: { given: false, run: { status: "waiting" } },
    });
    await expect(answer(first, "approve", "late")).rejects.toMatchObject({ code: "answered" });
    expect(await subject.reprise.inbox.list()).toMatchObject([{ id: second, resolution: null }]);

    const approved = await answer(second, "approve", "well");
    expect(approved).toMatchObject({ calls: [], result: { given: true, run: { status: "done" } } });
    // The feedback is data: the scripted agent does not answer what it asks. The model behind a real agent may.
    expect((await subject.reprise.runs.show(run)).outputs).toEqual({
      text: expect.stringMatching(
        new RegExp(`^(${secret}|Understood\\. I see \\d+ earlier messages\\.)$`),
      ),
    });
  });
}
