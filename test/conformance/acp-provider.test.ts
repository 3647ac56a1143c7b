/** C18 to C24 and C26 on an ACP agent: streams, prompts and paths, cost, lost history, crashes, adoption, access. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type AcpSubject, actsByItself, startAcp, startAskingAcp } from "./acp-subject.ts";
import { staysInFolder } from "./c19-folder.cases.ts";
import { credentialName, inertness } from "./c19-inert.cases.ts";
import { inertNodes } from "./c19-nodes.cases.ts";
import { cost } from "./c20-cost.cases.ts";
import { crash } from "./c22-crash.cases.ts";
import { adoption } from "./c24-adoption.cases.ts";
import { type Actor, accessCases } from "./c26-access.cases.ts";
import { codes, recall, type Subject, secret, witnessed } from "./subject.ts";

/** The documented escape. */
const escaped = (prompt: string) => (prompt.startsWith("/") ? `\\${prompt}` : prompt);

staysInFolder("acp", startAcp);
inertness("acp", {
  start: startAcp,
  escaped,
  tellCredential: (subject) => (subject as AcpSubject).sayCredential(credentialName),
});
inertNodes("acp", startAcp, escaped);
cost("acp", startAcp);
crash("acp", startAcp);
adoption("acp", startAcp);

test("C18/acp: a prompt of 1 MB arrives whole, and neither junk nor a late replay is output", async () => {
  await using subject = await startAcp();
  subject.agentIs({ replaysLate: true });
  const id = await subject.begin();
  subject.junk();
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

const damages: Readonly<Record<string, (lines: readonly string[]) => readonly string[]>> = {
  "cut off": (lines) => lines.slice(0, 2),
  "a line corrupted": (lines) => lines.with(1, "\0\0\0"),
  "a line altered": (lines) => lines.with(1, lines[1]!.replace(secret, "ORANGE-11")),
  emptied: () => [],
};

for (const [what, damage] of Object.entries(damages))
  test(`C21/acp: ${what} ⇒ noticed before anything is sent, and reseeded in the same turn`, async () => {
    await using subject = await startAcp();
    const id = await subject.begin();
    await subject.send("echo second");
    const file = subject.sessionFile(id);
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    writeFileSync(
      file,
      damage(lines)
        .map((line) => `${line}\n`)
        .join(""),
    );
    const seen = await subject.send(recall);
    expect(seen.launches).toMatchObject([{ resumed: id }, { resumed: null }]);
    expect(seen.calls).toMatchObject([{ earlier: 0, prompt: expect.stringContaining(secret) }]);
    expect(codes(seen.turn)).toContain("second-attempt");
    expect(seen.turn).toMatchObject({ turn: { status: "done" }, output: secret });
  });

test("C21/acp: deleted ⇒ the agent refuses, and the turn is reseeded", async () => {
  await using subject = await startAcp();
  const id = await subject.begin();
  rmSync(subject.sessionFile(id));
  const seen = await subject.send(recall);
  expect(seen.launches).toMatchObject([{ resumed: id }, { resumed: null }]);
  expect(seen.turn.output).toBe(secret);
});

/** In the next launch the model calls one tool and then says that it is done. */
function calls(subject: Subject, tool: string, input: object): string {
  (subject as AcpSubject).answer([{ tool, input }, { text: "done" }]);
  return "do it";
}

const actor: Actor = {
  write: (subject, path) => calls(subject, "write", { path, content: "x" }),
  read: (subject, path) => calls(subject, "read", { path }),
  run: (subject, command) => calls(subject, "shell", { command }),
  raising: actsByItself,
  sandboxes: false,
  asks: false,
  heard: (subject) => subject.witness.wire().join("\n"),
};
accessCases("acp", startAskingAcp, actor);
