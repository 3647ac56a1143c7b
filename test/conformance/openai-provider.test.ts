/** C19 to C24 and C26 on API models: prompts and paths, cost, lost history, crashes, adoption, access. */

import type { Access } from "@reprise/core/session/access";
import { expect, test } from "vitest";
import { staysInFolder } from "./c19-folder.cases.ts";
import { credentialName, inertness } from "./c19-inert.cases.ts";
import { inertNodes } from "./c19-nodes.cases.ts";
import { compaction } from "./c20-compaction.cases.ts";
import { cost } from "./c20-cost.cases.ts";
import { silentLoss } from "./c21-silent-loss.cases.ts";
import { crash } from "./c22-crash.cases.ts";
import { nativeTurns } from "./c23-native-turns.cases.ts";
import { adoption } from "./c24-adoption.cases.ts";
import { type OpenaiSubject, startOpenai } from "./openai-subject.ts";
import { codes, recall, secret, witnessed } from "./subject.ts";
import { runner, runWorkflow, steps } from "./workflow.ts";

staysInFolder("openai", startOpenai);
inertness("openai", {
  start: startOpenai,
  tellCredential: (subject) => (subject as OpenaiSubject).sayCredential(credentialName),
});
inertNodes("openai", startOpenai);
cost("openai", startOpenai);
silentLoss("openai", startOpenai);
crash("openai", startOpenai);
nativeTurns("openai", startOpenai);
adoption("openai", startOpenai);

test("C20/openai: above its limit the oldest turns are not sent, and come back when the limit is gone", async () => {
  await using subject = await startOpenai({ instructions: "Be brief." });
  const id = await subject.begin();
  await subject.send(`echo ${"word ".repeat(400)}`);
  await subject.reprise.agents.set({ name: "coder", settings: { contextTokens: "400" } });
  const cut = await subject.send(recall);
  expect(cut.launches).toMatchObject([{ resumed: id }]);
  expect(cut.calls).toMatchObject([{ session: id, earlier: 0 }]);
  expect(cut.calls[0]?.prompt).toContain("Be brief.");
  expect(cut.turn.output).toBe("You did not ask me to remember anything.");
  expect(cut.turn.notices.map(({ text }) => text).join()).toMatch(/oldest 2 turns were left out/);

  await subject.reprise.agents.set({ name: "coder", settings: { contextTokens: "4000" } });
  const whole = await subject.send(recall);
  expect(witnessed(whole, id)).toBe("resume");
  expect(whole.calls).toMatchObject([{ earlier: 6 }]);
  expect(whole.turn.output).toContain(secret);
});

compaction("openai", {
  start: startOpenai,
  async lengthen(subject) {
    for (let turn = 1; turn <= 3; turn += 1) await subject.send(`echo part ${turn}`);
  },
  runInto(subject: OpenaiSubject, ...launches) {
    for (const [index, trouble] of launches.entries())
      if (trouble) subject.answer([{ refuse: trouble }], index);
  },
  compacts: ({ argv }) => argv.includes("--compact"),
  promptCalls: ({ calls }) =>
    calls.filter(({ prompt }) => !/^You are about to forget this conversation/m.test(prompt)),
});

for (const access of ["read", "edit", "full"] as const satisfies readonly Access[])
  test(`C26/openai: ${access}: the model is given no tools, and a call all the same is denied and shown`, async () => {
    await using subject = await startOpenai();
    await subject.begin();
    const { turn } = await subject.send("run touch changed", { access });
    expect(turn).toMatchObject({ turn: { status: "done" }, attempts: [{ tools: false }] });
    expect(turn.denied).toMatchObject([{ tool: "shell" }]);
    expect(codes(turn)).toContain("denied");
    for (const sent of subject.witness.wire()) expect(JSON.parse(sent).tools).toBeUndefined();
  });

test("C26/openai: a denial is shown in a node, and nothing raises a node above maxAccess", async () => {
  await using subject = await startOpenai();
  const node = { ...runner(subject), agent: "openai", prompt: "run touch changed" };
  const { runner: _, ...step } = node as Record<string, unknown>;
  const { run } = await runWorkflow(subject, steps({ coder: step }));
  expect(run.executions).toMatchObject([
    { node: "coder", denied: [expect.stringMatching(/^shell: /)] },
  ]);
  const above = subject.reprise.runs.start({
    source: steps({ coder: { ...step, access: "full" } }),
  });
  await expect(above).rejects.toMatchObject({ code: "above-max-access" });
});
