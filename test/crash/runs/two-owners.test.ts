/**
 * Two processes that drive one run at the same time. One of them is stopped in the middle and taken for
 * dead; when it continues, another has the run, and nothing that it does counts or happens twice.
 */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { appears, until } from "../../until.ts";
import { tamper } from "../database.ts";
import type { NamedPoint, Stage } from "./calls.ts";
import { readRun } from "./home.ts";
import { act, driveToEnd, judge, newScenario } from "./scenario.ts";

let folder: string;

beforeEach(() => {
  folder = newScenario();
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Another process believes that the run has no owner, though its owner is alive. */
function takeForDead(): void {
  tamper(folder, "UPDATE run SET owner = json_set(owner, '$.start', 'long ago')");
}

const first: Stage = "before the gate";
const second: Stage = "after the gate";

test.each([
  ["before", first, "loop.entered review"],
  ["before", first, "node.done review/1/coder"],
  ["after", first, "node.done review/1/coder"],
  ["before", first, "gate.opened approve"],
  ["before", second, "node.done fix"],
  ["after", second, "retry.begun again"],
  ["before", second, "run.ended"],
] as const)(
  "an owner that stops %s it has written, %s, %s, and is fenced meanwhile",
  async (when, stage, about) => {
    const stops: NamedPoint = { when, stage, call: "store.advanceRun", about };
    if (stage === second) expect(await act({ folder })).toMatchObject({ code: 0, stderr: "" });
    const stopped = act({ folder, stops });
    await appears(join(folder, "stopped"));
    takeForDead();
    const before = readRun(folder)!.token;
    const other = act({ folder, drivesBy: "id", answers: false });
    await until(() => readRun(folder)!.token !== before);
    writeFileSync(join(folder, "proceed"), "");
    for (const ended of await Promise.all([stopped, other]))
      expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" });
    await driveToEnd({ folder });
    await judge(folder, { left: true });
  },
);

test.each([
  ["launcher.start", "review/1/coder"],
  ["launcher.start", "measure"],
  ["store.recordLaunch", "audit"],
])("several processes continue at once what was left after %s of %s", async (call, about) => {
  const dies = [{ when: "after", stage: first, call, about }] as const;
  expect(await act({ folder, dies })).toMatchObject({ signal: "SIGKILL" });
  const owners = (["recovery", "id", "recovery"] as const).map((drivesBy) =>
    act({ folder, drivesBy, answers: false }),
  );
  for (const ended of await Promise.all(owners))
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: "" });
  await driveToEnd({ folder });
  await judge(folder);
});
