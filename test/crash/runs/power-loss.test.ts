/**
 * The machine loses its power while a run is driven. Of the database only what was durable is left, and no
 * process lives: the run comes to the same end all the same, with every turn and every script once. A run
 * loses its power several times, each time later than before; a call that is buffered, and one right after
 * which the world outside has changed, is such a moment.
 */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../until.ts";
import { lookUp } from "../database.ts";
import { deathsIn, remaining } from "../deaths.ts";
import { losePower, numbersIn } from "../disk.ts";
import { endProcesses } from "../reboot.ts";
import type { MadeCall, NamedPoint } from "./calls.ts";
import { readRun } from "./home.ts";
import { describe, undisturbedCalls } from "./points.ts";
import { act, driveToEnd, judge, newScenario } from "./scenario.ts";
import { agent } from "./workflow.ts";
import { ofFunctions } from "./workflow-of-functions.ts";

const { source } = ofFunctions;
let folder: string;
/** Numbers of events that a reader may have seen, and that are gone. */
let lost: number[];

beforeEach(() => {
  folder = newScenario();
  lost = [];
});

afterEach(async () => {
  await endProcesses(folder);
  rmSync(folder, { recursive: true });
});

async function powerIsLost(): Promise<number[]> {
  const gone = await losePower(folder);
  lost.push(...gone);
  return gone;
}

/** Right after these, each of them once. */
function after(
  stage: MadeCall["stage"],
  ...calls: readonly (readonly [call: string, about: string])[]
): NamedPoint[] {
  return calls.map(([call, about]) => ({ when: "after", stage, call, about }));
}

/** After effects outside that are not recorded yet, and after some calls whose result must be durable. */
const durable = [
  ...after(
    "before the gate",
    ["launcher.follow", "measure"],
    ["store.advanceRun", "node.done measure"],
    ["launcher.follow", "review/1/coder"],
    ["store.advanceRun", "node.done review/1/coder"],
    ["launcher.follow", "review/2/coder"],
    ["store.finishTurn", "review/2/coder"],
    ["store.advanceRun", "gate.opened approve"],
  ),
  ...after(
    "after the gate",
    ["store.answerItem", "gate.answered"],
    ["launcher.follow", "fix"],
    ["launcher.follow", "publish"],
    ["store.advanceRun", "run.ended"],
  ),
];

const calls = await undisturbedCalls(ofFunctions);
const buffered = calls
  .filter((call) => call.buffered)
  .map(
    ({ stage, call, about }): NamedPoint => ({ when: "after", stage, call, about, buffered: true }),
  );

test("the steps between functions are buffered", () => {
  expect(buffered.map(({ about }) => about)).toEqual(
    expect.arrayContaining([
      "node.started plan",
      "node.done plan",
      "node.done shape",
      "node.done review/1/read",
      "node.done review/2/read",
      "node.done review/2/judge",
      "node.done count/1/one",
      "node.started greet",
      "node.done greet",
    ]),
  );
});

const runs = 3;

test.each(Array.from({ length: runs }, (_, index) => index + 1))(
  `power is lost at every ${runs}rd moment, from number %i on`,
  async (from) => {
    const dies = [...buffered, ...durable].filter((_, index) => index % runs === from - 1);
    await driveToEnd({ folder, source, dies, keepsDurable: true }, async () => {
      const gone = await powerIsLost();
      const point = deathsIn<NamedPoint>(folder).at(-1)!;
      expect(gone.length > 0, `something was lost ${describe(point)}`).toBe(
        point.buffered === true,
      );
    });
    expect(remaining(folder, dies).map(describe)).toEqual([]);
    await judge(folder, { of: ofFunctions });
    expect(numbersIn(folder).filter((seq) => lost.includes(seq))).toEqual([]);
  },
);

test("what a caller heard of a run that waits is there", async () => {
  const steps = {
    ask: { gate: "Continue?" },
    think: { function: "return { thought: 1 };", returns: { thought: "number" } },
  };
  const parked = JSON.stringify({ name: "Parked", outputs: { thought: "think.thought" }, steps });
  // By then its caller has the answer.
  const dies: NamedPoint[] = [{ when: "before", stage: "before the gate", call: "store.close" }];
  const order = { folder, source: parked, keepsDurable: true };
  expect(await act({ ...order, dies })).toMatchObject({ signal: "SIGKILL" });
  expect(readRun(folder)).toMatchObject({ status: "waiting" });
  expect(await powerIsLost()).toEqual([]);
  expect(readRun(folder)).toMatchObject({ status: "waiting" });
  await driveToEnd(order);
  expect(readRun(folder)).toMatchObject({ status: "done" });
});

/** How often the run, and the turn that was opened last, have had an owner. */
function owners(): { run: number | undefined; turn: number | undefined } {
  const [turn] = lookUp<{ token: number }>(folder, "SELECT token FROM turn ORDER BY rowid DESC");
  return { run: readRun(folder)?.token, turn: turn?.token };
}

test("a claim that is lost is made again, and nothing is begun twice", async () => {
  const dies = after(
    "before the gate",
    ["store.beginTurn", "review/1/coder"],
    ["store.takeRun", ""],
    ["launcher.follow", "review/2/coder"],
    ["store.takeOver", "review/2/coder"],
  );
  const seen: string[] = [];
  await driveToEnd({ folder, source, dies, keepsDurable: true }, async () => {
    const before = owners();
    expect(await powerIsLost()).toEqual([]);
    const left = owners();
    const { call } = deathsIn<NamedPoint>(folder).at(-1)!;
    seen.push(`${call} run ${before.run}-${left.run} turn ${before.turn}-${left.turn}`);
  });
  expect(seen).toEqual([
    "store.beginTurn run 1-1 turn 1-1",
    "store.takeRun run 2-1 turn 1-1",
    "launcher.follow run 2-2 turn 1-1",
    "store.takeOver run 2-2 turn 2-1",
  ]);
  await judge(folder, { of: ofFunctions });
});

test("power is lost after a crash: what the dead process buffered is gone as well", async () => {
  const dies = after(
    "before the gate",
    ["store.advanceRun", "node.done plan"],
    ["store.takeRun", ""],
    ["store.advanceRun", "node.done review/2/read"],
    ["store.advanceRun", "node.done count/1/one"],
  );
  const gone: number[] = [];
  let deaths = 0;
  await driveToEnd({ folder, source, dies, keepsDurable: true }, async () => {
    deaths += 1;
    if (deaths % 2 === 0) gone.push((await powerIsLost()).length);
    else await endProcesses(folder);
  });
  // Only the start of the run is left; nothing after the end of the second turn.
  expect(gone).toEqual([4, expect.any(Number)]);
  expect(gone[1]).toBeGreaterThan(4);
  await judge(folder, { of: ofFunctions });
  expect(numbersIn(folder).filter((seq) => lost.includes(seq))).toEqual([]);
});

test("the end of a turn that is found later is not reported under an event number that is lost", async () => {
  const rules = [{ do: ["model", { touch: "asked" }, { "wait-for": "proceed" }] }];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  const steps = {
    talk: { ...agent, prompt: "echo hello" },
    wait: { shell: "until test -e asked; do sleep 0.01; done" },
    first: { needs: "wait", function: "return {};" },
    second: { needs: "first", function: "return {};" },
  };
  const order = {
    folder,
    source: JSON.stringify({ name: "Beside", outputs: { text: "talk.output" }, steps }),
    keepsDurable: true,
  };
  const dies = after("before the gate", ["store.advanceRun", "node.done first"]);
  expect(await act({ ...order, dies })).toMatchObject({ signal: "SIGKILL" });
  const [turn] = lookUp<{ id: string }>(folder, "SELECT id FROM turn");
  writeFileSync(join(folder, "proceed"), "");
  const exit = join(folder, "home", "turns", turn!.id, "1", "exit");
  await until(() => existsSync(exit) && readFileSync(exit, "utf8") === "0\n");
  expect(await powerIsLost()).toHaveLength(2);
  await driveToEnd(order);
  expect(readRun(folder)).toMatchObject({ status: "done" });
  expect(numbersIn(folder).filter((seq) => lost.includes(seq))).toEqual([]);
});
