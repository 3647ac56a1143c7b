/** C19 to C24 and C26 on API models: prompts and paths, cost, lost history, crashes, adoption, access. */

import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
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
import { codes, key, recall, secret, witnessed } from "./subject.ts";
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

test("C18/openai: a prompt of 1 MB arrives whole, and its answer as it comes", async () => {
  await using subject = await startOpenai();
  const id = await subject.begin();
  const texts: string[] = [];
  const prompt = `${"é 字 ".repeat(1024 * 128)}\necho Grüße 🎉`;
  const seen = await subject.send(
    prompt,
    {},
    { onProgress: (progress) => progress.type === "text" && texts.push(progress.text) },
  );
  expect(witnessed(seen, id)).toBe("resume");
  expect(seen.calls[0]?.prompt).toBe(prompt);
  expect(texts).toEqual(["Grüße 🎉"]);
  expect((await subject.send(recall)).turn.output).toBe(secret);
});

test("C19/openai: a session that was moved to another home continues there", async () => {
  await using subject = await startOpenai();
  const id = await subject.begin();
  const home = subject.newFolder("another-home");
  await subject.reprise.sessions.move({ key, home });
  await subject.reprise.agents.set({ name: "coder", settings: { home } });
  const next = await subject.send(recall);
  expect(witnessed(next, id)).toBe("resume");
  expect(next.launches[0]?.argv).toContain(`--home=${home}`);
  expect(next.turn.output).toBe(secret);
});

test("C19/openai: the key is in no command line and in no file that Reprise keeps", async () => {
  await using subject = await startOpenai();
  await subject.begin();
  subject.misbehave("no-login");
  await subject.send("echo on");
  const apiKey = subject.env.OPENAI_API_KEY!;
  for (const { argv } of subject.witness.launches()) expect(argv.join(" ")).not.toContain(apiKey);
  await subject.close();
  const files = globSync("**/*", { cwd: subject.root }).map((name) => join(subject.root, name));
  const kept = files.filter((file) => statSync(file).isFile());
  expect(kept.filter((file) => readFileSync(file).includes(apiKey))).toEqual([]);
});

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
