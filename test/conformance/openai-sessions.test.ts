/** C01 to C08 on API models: sessions that are continued, refused, cut off and shared. */

import { expect, test } from "vitest";
import { coupling } from "./c01-coupling.cases.ts";
import { newIds } from "./c02-new-ids.cases.ts";
import { deadSession } from "./c03-dead-session.cases.ts";
import { anotherSession } from "./c04-another-session.cases.ts";
import { cutOffCases } from "./c05-cut-off.cases.ts";
import { transient } from "./c05-transient.cases.ts";
import { notStrikes } from "./c06-not-strikes.cases.ts";
import { isRetired, poison } from "./c06-poison.cases.ts";
import { ghost } from "./c07-ghost.cases.ts";
import { cancelling } from "./c08-cancel.cases.ts";
import { oneWriter } from "./c08-one-writer.cases.ts";
import { startOpenai } from "./openai-subject.ts";
import { recall, witnessed } from "./subject.ts";

coupling("openai", startOpenai);
newIds("openai", startOpenai);
deadSession("openai", startOpenai);
anotherSession("openai", startOpenai);
transient("openai", startOpenai);
cutOffCases("openai", startOpenai);
notStrikes("openai", startOpenai);
poison("openai", startOpenai);
ghost("openai", startOpenai);
cancelling("openai", startOpenai);
oneWriter("openai", startOpenai);

test("C05/openai: a used-up quota says until when, and keeps the session", async () => {
  await using subject = await startOpenai();
  const id = await subject.begin();
  subject.answer([{ refuse: "quota", resetsAt: 1_900_000_000 }]);
  const { turn } = await subject.send("echo fails");
  expect(turn).toMatchObject({ turn: { status: "failed" }, error: { code: "quota" } });
  expect(turn.error?.message).toContain("2030-03-17");
  const refused = await subject.send(recall);
  expect(refused).toMatchObject({ turn: { turn: { status: "refused" } }, launches: [], calls: [] });
  expect(witnessed(await subject.send(recall, { now: true }), id)).toBe("resume");
});

const poisons: Readonly<Record<string, object>> = {
  "an earlier message": { param: "messages.[0].content", message: "Invalid content." },
  image: { message: "Invalid image data in messages.", param: "messages" },
  "empty message": { message: "messages.1: content must be non-empty" },
  "dangling tool call": {
    message: "An assistant message with 'tool_calls' must be followed by tool messages.",
  },
};

for (const [what, error] of Object.entries(poisons))
  test(`C06/openai: ${what} ⇒ retired, and the turn continues with a new session`, async () => {
    await using subject = await startOpenai();
    const bad = await subject.begin();
    subject.answer([{ status: 400, body: { error: { type: "invalid_request_error", ...error } } }]);
    await isRetired(subject, bad, await subject.send(recall));
  });
