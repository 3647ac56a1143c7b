/** C16 on the scripted agent. */

import { expect, test } from "vitest";
import { oneSession } from "./c16-one-session.cases.ts";
import { startScripted } from "./scripted-subject.ts";
import { remember } from "./subject.ts";
import { long, runner } from "./workflow.ts";

oneSession("scripted", startScripted);

test("C16/scripted: one sessionId that is wired to two nodes at the same time is refused before anything is launched", async () => {
  await using subject = await startScripted();
  const agent = { type: "agent", data: { ...runner(subject), prompt: remember } };
  const source = long({ coder: agent, left: agent, right: agent }, [
    "coder output:sessionId > left input:sessionId",
    "coder output:sessionId > right input:sessionId",
  ]);
  await expect(subject.reprise.runs.start({ source })).rejects.toMatchObject({
    code: "bad-workflow",
    findings: expect.arrayContaining([expect.objectContaining({ code: "parallel-session" })]),
  });
  expect(subject.witness.launches()).toEqual([]);
});
