/** What waits is listed oldest first; all that ever did, newest first, so that a limit cuts off the oldest. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openReprise } from "../open-reprise.ts";

const source = "name: gates\nsteps:\n  approve: { gate: Continue? }\n";

test("the newest are given where there are more than the limit, and the older ones after them", async () => {
  const folder = temporaryFolder("inbox");
  const clock = { now: 1_000_000 };
  const reprise = await openReprise({
    home: join(folder, "home"),
    cwd: folder,
    now: () => clock.now,
  });
  onTestFinished(async () => {
    await reprise.close();
    rmSync(folder, { recursive: true });
  });
  const opened: string[] = [];
  for (const run of ["r1", "r2", "r3", "r4"]) {
    clock.now += 1000;
    opened.push(...(await reprise.runs.start({ source, id: run })).waitsFor);
  }
  // An agent's question is listed among the gates, by the time at which it was asked.
  clock.now += 1000;
  writeFileSync(
    join(folder, "script.json"),
    JSON.stringify({ rules: [{ when: { prompt: "choose" }, do: [{ ask: "Which?" }] }] }),
  );
  const settings = { script: join(folder, "script.json"), home: join(folder, "agent") };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  const asked = await reprise.sessions.send({ key: "k", agent: "coder", prompt: "choose" });
  opened.push(asked.turn.id);
  clock.now += 1000;
  opened.push(...(await reprise.runs.start({ source, id: "r5" })).waitsFor);
  const answered = [opened[0], opened[3]];
  for (const item of answered)
    await reprise.inbox.answer({ item: item!, choice: "approve", by: "ann" });
  await reprise.inbox.answer({ item: asked.turn.id, text: "This.", by: "ann" });
  answered.push(asked.turn.id);

  const ids = async (query: Parameters<typeof reprise.inbox.list>[0]) =>
    (await reprise.inbox.list(query)).map(({ id }) => id);
  expect(await ids({})).toEqual(opened.filter((id) => !answered.includes(id)));
  expect(await ids({ limit: 2 })).toEqual([opened[1], opened[2]]);
  const newestFirst = opened.toReversed();
  expect(await ids({ all: true })).toEqual(newestFirst);
  const seen: string[] = [];
  for (let page = await ids({ all: true, limit: 2 }); page.length > 0; ) {
    seen.push(...page);
    page = await ids({ all: true, limit: 2, after: page.at(-1)! });
  }
  expect(seen).toEqual(newestFirst);
});
