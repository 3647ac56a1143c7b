/** C12 on the scripted agent. */

import { rmSync } from "node:fs";
import type { AnsweredItem, EventView } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import { built, coder, gateOfDays, park, run, weekend } from "./c12-gate.cases.ts";
import { Clock, day } from "./c13-keeping.cases.ts";
import { Database } from "./database.ts";
import { startScripted } from "./scripted-subject.ts";
import { recall, remember, type Subject, secret, witnessed } from "./subject.ts";
import { asked, runner, steps, watch } from "./workflow.ts";

gateOfDays("scripted", startScripted);

async function answers({ reprise }: Subject): Promise<EventView[]> {
  const seen: EventView[] = [];
  for await (const event of reprise.runs.events(run, { follow: false }))
    if (event.type === "gate.answered" || event.type === "gate.expired") seen.push(event);
  return seen;
}

for (const [what, choices] of [
  ["the same", ["approve", "approve"]],
  ["different", ["approve", "reject"]],
] as const)
  test(`C12/scripted: ${what} answers of two processes at once ⇒ one is taken, and one continues`, async () => {
    await using subject = await startScripted();
    const source = steps(
      {
        coder: { ...runner(subject), session: "coder", prompt: remember },
        // Both answers must continue, for either may be the one that is taken.
        approve: { needs: "coder", gate: { title: "Take it over?", onReject: "continue" } },
        after: {
          ...runner(subject),
          session: "coder",
          inputs: { prompt: "say.text" },
        },
        say: {
          inputs: { choice: "approve.choice" },
          function: 'return { text: "echo " + inputs.choice };',
          returns: { text: "string" },
        },
      },
      { outputs: { text: "after.output" } },
    );
    const { item, session } = await park(subject, source);
    const seen = await watch(subject, () =>
      Promise.all(
        choices.map(async (choice, index) => {
          const input = { item, choice, by: `person-${index}` };
          const { ended } = subject.runCaller<AnsweredItem & { code?: string }>(
            "inbox.answer",
            input,
          );
          return (await ended).result!;
        }),
      ),
    );
    const given = seen.result.filter((result) => result.given);
    expect(given).toHaveLength(1);
    const { by, choice } = given[0]!.item.resolution!;
    for (const [index, result] of seen.result.entries())
      if (choices[index] !== choice) expect(result.code).toBe("answered");
      else expect(result.item.resolution?.by).toBe(by);
    expect(await answers(subject)).toHaveLength(1);

    await subject.reprise.runs.continue(run);
    expect(subject.witness.calls().slice(1)).toMatchObject([{ session, earlier: 2 }]);
    expect(asked(subject.witness.calls())).toEqual([remember, `echo ${choice}`]);
    expect((await subject.reprise.runs.show(run)).outputs).toEqual({ text: choice });
  });

test("C12/scripted: the wrong person is denied, and nothing changes", async () => {
  await using subject = await startScripted();
  const { item } = await park(subject, weekend(subject, { answerers: ["ann"] }));
  const before = await subject.reprise.inbox.show(item);
  const { inbox } = subject.reprise;
  for (const choice of ["approve", "reject"])
    await expect(inbox.answer({ item, choice, by: "eve" })).rejects.toMatchObject({
      name: "DeniedError",
      code: "not-allowed",
      exitCode: 5,
    });
  expect(await inbox.show(item)).toEqual(before);
  expect(await answers(subject)).toEqual([]);
  expect(subject.witness.launches()).toHaveLength(1);
  await inbox.answer({ item, choice: "approve", by: "ann" });
  expect(asked(subject.witness.calls())).toEqual([remember, recall]);
});

const deadlines = [
  ["of its own", { onDeadline: "approve" }, "done", [remember, recall]],
  ["that says no", { onDeadline: "reject" }, "rejected", [remember]],
  ["that fails it", {}, "failed", [remember]],
] as const;
for (const [what, more, status, expected] of deadlines)
  test(`C12/scripted: a deadline has an outcome ${what}, and a later answer changes nothing`, async () => {
    const clock = new Clock();
    await using subject = await startScripted({ now: clock.now });
    const { item, session } = await park(subject, weekend(subject, { deadline: "2d", ...more }));
    clock.at += day;
    await subject.open({ now: clock.now });
    expect(await subject.reprise.runs.recover()).toEqual([]);
    expect(await subject.reprise.inbox.list()).toMatchObject([{ id: item, resolution: null }]);

    clock.at += 2 * day;
    await subject.open({ now: clock.now });
    const late = subject.reprise.inbox.answer({ item, choice: "approve", by: "ann" });
    await expect(late).rejects.toMatchObject({ code: "expired", exitCode: 1 });
    expect(await subject.reprise.inbox.show(item)).toMatchObject({
      resolution: { how: "expired" },
    });
    expect(await subject.reprise.runs.recover()).toMatchObject([{ id: run, status }]);
    expect(await answers(subject)).toHaveLength(1);
    expect(asked(subject.witness.calls())).toEqual(expected);
    expect(subject.witness.calls().every((call) => call.session === session)).toBe(true);
    expect(built(subject)).toBe(1);
  });

test("C12/scripted: a session that was purged nevertheless is shown as blank, and is", async () => {
  await using subject = await startScripted();
  const { item, session } = await park(subject);
  await subject.reprise.sessions.purge(coder, { force: true });
  expect(await subject.reprise.inbox.show(item)).toMatchObject({
    resumability: [{ key: coder, decision: { outcome: "blank", notices: [{ code: "purged" }] } }],
  });
  const { inbox } = subject.reprise;
  const seen = await watch(subject, () => inbox.answer({ item, choice: "approve", by: "ann" }));
  expect(witnessed(seen, session)).toBe("blank");
  expect((await subject.reprise.runs.show(run)).outputs.text).not.toContain(secret);
});

test("C12/scripted: with neither history, checkpoint nor transcript it is shown as blank, and is", async () => {
  await using subject = await startScripted();
  const { item, session } = await park(subject);
  rmSync(subject.sessionFile(session));
  {
    using database = new Database(subject);
    database.dropCheckpoints();
    database.change("DELETE FROM message");
  }
  expect(await subject.reprise.inbox.show(item)).toMatchObject({
    resumability: [{ key: coder, decision: { outcome: "blank" } }],
  });
  const { inbox } = subject.reprise;
  const seen = await watch(subject, () => inbox.answer({ item, choice: "approve", by: "ann" }));
  expect(witnessed(seen, session)).toBe("blank");
});
