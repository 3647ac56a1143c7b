/** C13 in workflows for every provider: what runs need is never archived, purged or pruned. */

import { expect, test } from "vitest";
import { brief, Clock, day } from "./c13-keeping.cases.ts";
import { recall, remember, type StartSubject, secret } from "./subject.ts";
import { runner, steps, watch } from "./workflow.ts";

export function keepingForRuns(provider: string, start: StartSubject): void {
  test(`C13/${provider}: with runs around, a dry run lists exactly what enforcing removes, and neither touches what a run needs`, async () => {
    const clock = new Clock();
    const settings = { archiveAfter: "1d", prune: { after: "1d" } };
    await using subject = await start({ settings, now: clock.now });
    const { sessions, runs, inbox } = subject.reprise;
    const agent = { ...runner(subject), session: "coder" };
    const ended = steps({ coder: { ...agent, prompt: remember } });
    await runs.start({ source: ended, id: "ended" });
    await runs.start({ source: ended, id: "archived" });
    await sessions.archive("wf:archived:agent:coder");
    const gated = steps(
      {
        coder: { ...agent, prompt: remember },
        approve: { needs: "coder", gate: "Continue?" },
        after: { ...agent, needs: "approve", prompt: recall },
      },
      { outputs: { text: "after.output" } },
    );
    const { waitsFor } = await runs.start({ source: gated, id: "gated" });
    const hold = subject.hold();
    const running = runs.start({ source: ended, id: "running" });
    await hold.reached();
    clock.at += 30 * day;

    const held = "wf:gated:agent:coder";
    await expect(sessions.archive(held)).rejects.toMatchObject({ code: "held", exitCode: 1 });
    await expect(sessions.purge(held)).rejects.toMatchObject({ code: "held", exitCode: 1 });
    for (const verb of [sessions.archive, sessions.purge])
      await expect(verb("wf:running:agent:coder")).rejects.toMatchObject({ code: "busy" });
    const before = await sessions.list();
    const dry = await sessions.prune({ enforce: false });
    expect(brief(dry)).toEqual(["purge wf:archived:agent:coder", "archive wf:ended:agent:coder"]);
    expect(dry.spared.map(({ key }) => key)).toEqual([held, "wf:running:agent:coder"]);
    expect(await sessions.list()).toEqual(before);
    expect(await sessions.prune({ enforce: true })).toEqual({ ...dry, enforced: true });
    expect((await sessions.list()).map(({ key, archivedAt }) => [key, archivedAt])).toEqual([
      ["wf:ended:agent:coder", clock.at],
      [held, null],
      ["wf:running:agent:coder", null],
    ]);

    hold.release();
    expect(await running).toMatchObject({ status: "done" });
    const item = waitsFor[0]!;
    const seen = await watch(subject, () => inbox.answer({ item, choice: "approve", by: "ann" }));
    expect(seen.calls).toMatchObject([{ earlier: 2 }]);
    expect((await runs.show("gated")).outputs).toEqual({ text: secret });
    // No run needs them any more.
    clock.at += 30 * day;
    expect(brief(await sessions.prune({ enforce: true }))).toEqual([
      "purge wf:ended:agent:coder",
      `archive ${held}`,
      "archive wf:running:agent:coder",
    ]);
  });

  test(`C13/${provider}: between the answer and the next turn of the run its sessions are still kept`, async () => {
    const clock = new Clock();
    const settings = { archiveAfter: "1d", prune: { after: "1d" } };
    await using subject = await start({ settings, now: clock.now });
    const { sessions, runs, inbox } = subject.reprise;
    const agent = { ...runner(subject), session: "coder" };
    const source = steps(
      {
        coder: { ...agent, prompt: remember },
        approve: { needs: "coder", gate: "Continue?" },
        after: { ...agent, needs: "approve", prompt: recall },
      },
      { outputs: { text: "after.output" } },
    );
    const { waitsFor } = await runs.start({ source, id: "gated" });
    clock.at += 30 * day;
    // As if the process that answered had died right afterwards.
    await inbox.answer({ item: waitsFor[0]!, choice: "approve", by: "ann" }, { continue: false });
    const key = "wf:gated:agent:coder";
    await expect(sessions.archive(key)).rejects.toMatchObject({ code: "held" });
    const report = await sessions.prune({ enforce: true });
    expect(report).toMatchObject({ steps: [], spared: [{ key, action: "archive" }] });

    const seen = await watch(subject, () => runs.continue("gated"));
    expect(seen.calls).toMatchObject([{ earlier: 2 }]);
    expect(seen.result).toMatchObject({ status: "done", outputs: { text: secret } });
    clock.at += 30 * day;
    expect(brief(await sessions.prune({ enforce: true }))).toEqual([`archive ${key}`]);
  });
}
