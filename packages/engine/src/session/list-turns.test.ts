/** The turns of a session are listed newest first, page by page. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openReprise } from "../open-reprise.ts";

async function withCoder() {
  const folder = temporaryFolder("list-turns");
  const reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
  onTestFinished(async () => {
    await reprise.close();
    rmSync(folder, { recursive: true });
  });
  await reprise.agents.create({ name: "coder", provider: "scripted" });
  return reprise;
}

test("each page continues after the last turn of the previous one", async () => {
  const reprise = await withCoder();
  for (const prompt of ["echo 1", "echo 2", "echo 3"])
    await reprise.sessions.send({ key: "k", agent: "coder", prompt });
  const other = await reprise.sessions.send({ key: "other", agent: "coder", prompt: "echo" });

  const { recent } = await reprise.sessions.show("k");
  expect(await reprise.turns.list({ key: "k" })).toEqual(recent);
  const first = await reprise.turns.list({ key: "k", limit: 2 });
  expect(first.map(({ seq }) => seq)).toEqual([3, 2]);
  const rest = await reprise.turns.list({ key: "k", limit: 2, after: first[1]!.id });
  expect(rest).toEqual([recent[2]]);
  expect(await reprise.turns.list({ key: "k", after: rest[0]!.id })).toEqual([]);

  await expect(reprise.turns.list({ key: "none" })).rejects.toMatchObject({ code: "no-session" });
  await expect(reprise.turns.list({ key: "k", after: other.turn.id })).rejects.toMatchObject({
    code: "no-turn",
  });
  await expect(reprise.turns.list({ key: "k", limit: 0 })).rejects.toMatchObject({
    code: "bad-limit",
  });
});

test("a turn says which guard decided, with its two values, and what it was asked", async () => {
  const reprise = await withCoder();
  await reprise.sessions.send({ key: "k", agent: "coder", prompt: "echo 1" });
  const sent = await reprise.sessions.send({ key: "k", prompt: "echo 2", continuity: "reseed" });
  const [second, first] = await reprise.turns.list({ key: "k" });
  expect(first).toMatchObject({ outcome: "blank", verdict: { guard: "prior", passed: false } });
  expect(second).toMatchObject({
    outcome: "reseed",
    verdict: { guard: "policy", stored: "resume", current: "reseed (turn)" },
  });
  expect([sent.prompt, (await reprise.turns.why(first!.id)).prompt]).toEqual(["echo 2", "echo 1"]);
});
