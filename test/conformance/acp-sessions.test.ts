/** C01 to C08 on an ACP agent: sessions that are continued, refused, cut off and shared. */

import { expect, test } from "vitest";
import { startAcp } from "./acp-subject.ts";
import { coupling } from "./c01-coupling.cases.ts";
import { newIds } from "./c02-new-ids.cases.ts";
import { deadSession } from "./c03-dead-session.cases.ts";
import { anotherSession } from "./c04-another-session.cases.ts";
import { cutOffCases } from "./c05-cut-off.cases.ts";
import { transient } from "./c05-transient.cases.ts";
import { notStrikes } from "./c06-not-strikes.cases.ts";
import { isRetired, poison } from "./c06-poison.cases.ts";
import { cancelling } from "./c08-cancel.cases.ts";
import { oneWriter } from "./c08-one-writer.cases.ts";
import { codes, recall, remember, secret, witnessed } from "./subject.ts";

coupling("acp", startAcp);
newIds("acp", startAcp);
deadSession("acp", startAcp);
anotherSession("acp", startAcp);
transient("acp", startAcp);
cutOffCases("acp", startAcp);
notStrikes("acp", startAcp);
poison("acp", startAcp);
cancelling("acp", startAcp);
oneWriter("acp", startAcp);

const poisons: Readonly<Record<string, string>> = {
  image: "Could not process image",
  "dangling tool call": "`tool_use` ids were found without `tool_result` blocks",
};

for (const [what, message] of Object.entries(poisons))
  test(`C06/acp: ${what} ⇒ retired, and the turn continues with a new session`, async () => {
    await using subject = await startAcp();
    const bad = await subject.begin();
    subject.answer([{ status: 400, body: { error: { message } } }]);
    await isRetired(subject, bad, await subject.send(recall));
  });

for (const unknownSession of [-32002, -32603])
  test(`C03/acp: a session that the agent does not know (${unknownSession}) ⇒ one reseed in the same turn`, async () => {
    await using subject = await startAcp();
    subject.agentIs({ unknownSession });
    const dead = await subject.begin();
    subject.misbehave("refuse");
    const seen = await subject.send(recall);
    expect(seen.launches).toMatchObject([{ resumed: dead }, { resumed: null }]);
    expect(seen.turn).toMatchObject({ turn: { status: "done" }, output: secret });
    expect(codes(seen.turn)).toContain("second-attempt");
  });

test("C07/acp: a turn that was never saved is noticed when the session is loaded, and nothing of it is lost", async () => {
  await using subject = await startAcp();
  subject.misbehave("ghost");
  await subject.send(remember);
  const next = await subject.send(recall);
  expect(next.calls).toMatchObject([{ earlier: 0, prompt: expect.stringContaining(remember) }]);
  expect(next.turn).toMatchObject({ turn: { status: "done" }, output: secret });

  const good = next.calls[0]!.session;
  subject.misbehave("ghost");
  expect((await subject.send("echo PEAR")).turn.output).toBe("PEAR");
  const later = await subject.send(recall);
  expect(later.launches).toMatchObject([{ resumed: good }, { resumed: null }]);
  expect(later.calls).toMatchObject([{ prompt: expect.stringContaining("PEAR") }]);
  expect(later.turn.output).toBe(secret);
});

test("C04/acp: another session that the agent names is refused, and its answer is not taken", async () => {
  await using subject = await startAcp();
  const id = await subject.begin();
  subject.misbehave("new-session");
  const seen = await subject.send(recall);
  expect(seen.launches).toMatchObject([{ resumed: id }, { resumed: null }]);
  expect(seen.turn.attempts[0]).toMatchObject({ ending: "rejected" });
  expect(witnessed(await subject.send(recall), seen.calls.at(-1)!.session)).toBe("resume");
});
