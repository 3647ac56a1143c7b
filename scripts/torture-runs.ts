/**
 * Kills the owners of a workflow's run: at random moments, from inside at a call or from
 * outside at a time, and then at every call, each in a run of its own. Ends at the first violation.
 */

import { rmSync } from "node:fs";
import { randomFrom } from "@reprise/store/suite/random";
import type { NumberedPoint } from "../test/crash/runs/calls.ts";
import { hasEnded } from "../test/crash/runs/home.ts";
import { undisturbedCalls } from "../test/crash/runs/points.ts";
import { act, driveToEnd, judge, newScenario } from "../test/crash/runs/scenario.ts";

export interface TortureRunOptions {
  readonly kills: number;
  readonly seed: number;
  readonly minutes: number;
  /** Also at every call. */
  readonly calls: boolean;
}

/** As many as the machine has cores to spare, so that a sweep ends some day. */
const lanes = 2;

export async function tortureRuns({
  kills,
  seed,
  minutes,
  calls,
}: TortureRunOptions): Promise<number> {
  console.log(`${kills} kills of runs, at most ${minutes} minutes, seed ${seed}`);
  const until = performance.now() + minutes * 60_000;
  const inTime = () => performance.now() < until;
  try {
    const began = performance.now();
    const made = await undisturbedCalls();
    const undisturbed = { calls: made.length, time: performance.now() - began };
    await randomKills(kills, randomFrom(seed), undisturbed, inTime);
    if (calls) await everyCall(shuffled(pointsOf(made), randomFrom(seed)), inTime);
  } catch (violation) {
    console.log(
      `Violated (seed ${seed}): ${violation instanceof Error ? violation.message : violation}`,
    );
    return 1;
  }
  console.log(`No violation (seed ${seed})`);
  return 0;
}

async function randomKills(
  kills: number,
  random: () => number,
  undisturbed: { readonly calls: number; readonly time: number },
  inTime: () => boolean,
): Promise<void> {
  let folder = newScenario();
  let killed = 0;
  let ended = 0;
  while (killed < kills && inTime()) {
    // A process rarely does more than half of a run.
    const [fromInside, when, moment] = [random() < 0.5, random(), random() / 2];
    const nth = Math.ceil(moment * undisturbed.calls);
    const point: NumberedPoint = { when: when < 0.5 ? "before" : "after", nth };
    const drivesBy = when < 0.5 ? "id" : "recovery";
    const result = await keeping(folder, () =>
      fromInside
        ? act({ folder, drivesBy, dies: [point] })
        : act({ folder, drivesBy }, moment * undisturbed.time),
    );
    if (result.signal === "SIGKILL") {
      killed += 1;
      if (killed % 10 === 0) console.log(`${killed} kills, ${ended} runs ended`);
    } else if (result.code !== 0 || result.stderr !== "")
      throw new Error(`Reprise ended with ${result.code}: ${result.stderr}; see ${folder}`);
    if (!hasEnded(folder)) continue;
    await keeping(folder, () => judge(folder));
    ended += 1;
    rmSync(folder, { recursive: true });
    folder = newScenario();
  }
  await keeping(folder, () => driveToEnd({ folder }).then(() => judge(folder)));
  rmSync(folder, { recursive: true });
  console.log(`${killed} kills, ${ended + 1} runs ended`);
}

/** Before and after each call of either process of an undisturbed run. */
function pointsOf(made: Awaited<ReturnType<typeof undisturbedCalls>>): NumberedPoint[] {
  return (["before the gate", "after the gate"] as const).flatMap((stage) =>
    made
      .filter((call) => call.stage === stage)
      .flatMap((_, index) =>
        (["before", "after"] as const).map((when) => ({ when, stage, nth: index + 1 })),
      ),
  );
}

/** When the time is over before the end, some of every part have been met. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

async function everyCall(points: NumberedPoint[], inTime: () => boolean): Promise<void> {
  const all = points.length;
  let done = 0;
  const lane = async () => {
    for (let point = points.shift(); point && inTime(); point = points.shift()) {
      const folder = newScenario();
      const dies = [point];
      await keeping(folder, () => driveToEnd({ folder, dies }).then(() => judge(folder)));
      rmSync(folder, { recursive: true });
      done += 1;
      if (done % 20 === 0) console.log(`killed at ${done} of ${all} calls`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  console.log(`killed at ${done} of ${all} calls`);
}

/** The folder of a violation is kept for a look. */
async function keeping<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Error(
      `${error instanceof Error ? error.message : error}\nThe folder is kept: ${folder}`,
    );
  }
}
