/** C25 for every provider: nothing behind a rejection or a failure runs, however its result is read. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Clock, day } from "./c13-keeping.cases.ts";
import { remember, type StartSubject, type Subject } from "./subject.ts";
import { asked, runner, steps, watch } from "./workflow.ts";

export const run = "guarded";

/** What every shell that must not run would leave. */
const push = "echo pushed >> pushed";

export function pushed({ folder }: Subject): string {
  const path = join(folder, "pushed");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Work, a gate, and behind it an agent for every way of reading the answer, each of which would be witnessed. */
export function guarded(subject: Subject, gate: Readonly<Record<string, unknown>> = {}): string {
  const agent = runner(subject);
  return steps(
    {
      coder: { ...agent, prompt: remember },
      "sign-off": { needs: "coder", gate: { title: "Push?", ...gate } },
      push: { needs: "sign-off", shell: push },
      template: { ...agent, prompt: "echo template {{ sign-off.comment }}" },
      input: { ...agent, inputs: { prompt: "sign-off.choice" } },
      later: { needs: "push", shell: push },
      joined: { join: ["push", "sign-off.comment"] },
      "after-join": { ...agent, needs: "joined", prompt: "echo joined" },
      "in-loop": {
        loop: {
          until: "again.success",
          max: 2,
          steps: { again: { shell: `${push}; echo "{{ sign-off.by }}"` } },
        },
      },
    },
    { outputs: { decision: "sign-off.choice", by: "sign-off.by" } },
  );
}

async function park(subject: Subject, source: string): Promise<string> {
  const started = await subject.reprise.runs.start({ source, id: run });
  expect(started.status).toBe("waiting");
  return started.waitsFor[0]!;
}

export function nothingAfterNo(provider: string, start: StartSubject): void {
  test(`W1 C25/${provider}: after a restart and a rejection, nothing behind the gate runs; rerun asks again`, async () => {
    await using subject = await start();
    const item = await park(subject, guarded(subject));
    await subject.open();
    const { reprise } = subject;
    const seen = await watch(subject, () =>
      reprise.inbox.answer({ item, choice: "reject", by: "ann", comment: "not yet" }),
    );
    expect(seen.launches).toEqual([]);
    expect(pushed(subject)).toBe("");
    expect(await reprise.runs.show(run)).toMatchObject({
      status: "rejected",
      outputs: { decision: "reject", by: "ann" },
      error: { code: "rejected" },
    });
    expect(await reprise.runs.rerun({ run })).toMatchObject({ status: "waiting" });
    expect(asked(subject.witness.calls())).toEqual([remember]);
  });

  test(`W2 C25/${provider}: a failure stops what is behind it, in loops and retry gates, too`, async () => {
    await using subject = await start();
    const agent = { ...runner(subject), prompt: "echo behind" };
    const flows = {
      read: steps(
        { tests: { shell: "exit 3" }, deploy: { ...agent, needs: "tests" } },
        { outputs: { ok: "tests.success" } },
      ),
      branch: steps({
        tests: { shell: "echo line 3 >&2; exit 3" },
        well: { branch: "tests" },
        deploy: { ...agent, needs: "tests" },
        ship: { ...agent, needs: "well.true" },
        tell: { needs: "well.false", shell: "echo reported >> reported" },
      }),
      loop: steps({
        review: { loop: { until: "t", max: 2, steps: { t: { shell: "exit 1" } } } },
        deploy: { ...agent, needs: "review" },
      }),
      retry: steps({
        tests: { shell: "exit 1" },
        gate: { "retry-gate": { target: "tests", checks: "tests", max: 1 } },
        deploy: { ...agent, needs: "gate" },
      }),
    };
    const seen = await watch(subject, async () => {
      const ends: Record<string, string> = {};
      for (const [name, source] of Object.entries(flows))
        ends[name] = (await subject.reprise.runs.start({ source })).status;
      return ends;
    });
    expect(seen.launches).toEqual([]);
    expect(seen.result).toEqual({
      read: "failed",
      branch: "done",
      loop: "failed",
      retry: "rejected",
    });
    expect(readFileSync(join(subject.folder, "reported"), "utf8")).toBe("reported\n");
  });

  test(`W1 C25/${provider}: a deadline that rejects stops what is behind it`, async () => {
    const clock = new Clock();
    await using subject = await start({ now: clock.now });
    await park(subject, guarded(subject, { deadline: "2d", onDeadline: "reject" }));
    clock.at += 3 * day;
    const seen = await watch(subject, async () => {
      await subject.open({ now: clock.now });
      return subject.reprise.runs.recover();
    });
    expect(seen.launches).toEqual([]);
    expect(seen.result).toMatchObject([{ id: run, status: "rejected" }]);
    expect(pushed(subject)).toBe("");
  });

  test(`W5 C25/${provider}: a rejection in a loop goes to the coder in its session, and at the maximum nothing behind it runs`, async () => {
    await using subject = await start();
    const agent = runner(subject);
    const source = steps({
      review: {
        loop: {
          until: "fine.approved",
          max: 2,
          steps: {
            setup: { shell: "true" },
            coder: { ...agent, needs: "setup", prompt: remember },
            fine: { needs: "coder", gate: "Fine?" },
          },
        },
      },
      publish: { ...agent, needs: "review", prompt: "echo published" },
    });
    const { inbox, runs } = subject.reprise;
    const seen = await watch(subject, async () => {
      await runs.start({ source, id: run });
      for (const comment of ["echo shorter", "echo no"]) {
        const [item] = await inbox.list({ run });
        await inbox.answer({ item: item!.id, choice: "reject", by: "ann", comment });
      }
      return runs.show(run);
    });
    expect(seen.result).toMatchObject({ status: "failed", error: { code: "maximum-reached" } });
    expect(seen.calls).toHaveLength(2);
    expect(seen.calls[1]!.prompt).toContain("echo shorter");
    expect(seen.calls[1]!.session).toBe(seen.calls[0]!.session);
    expect(seen.calls.map(({ earlier }) => earlier)).toEqual([0, 2]);
  });
}
