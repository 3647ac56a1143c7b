/**
 * Kills the owners of a run before, or after, the calls to the store and the launcher: each that
 * has an effect, once for everything that it is about, and of those that only look the first of each name
 * after each type of event. To have all of them in a minute and a half, a run is killed several times: each
 * process that drives it dies at a later call, those of one run as far apart as can be. A call that was
 * passed over, since a process before had done it, gets a run of its own. `npm run torture -- --runs` gives
 * one to every call.
 *
 * To replay one: `REPRISE_CRASH_POINT="launcher.start of fix" npx vitest run test/crash/runs/before-every-call.test.ts`.
 */

import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { remaining } from "../deaths.ts";
import { shareFor, shareOf, shareTitle } from "../share.ts";
import type { KillPoint, NamedPoint } from "./calls.ts";
import { describe, effects, mayBeMissed, pointsOf, undisturbedCalls } from "./points.ts";
import { driveToEnd, judge, newScenario } from "./scenario.ts";

const scenarios = 13;
const chosen = process.env.REPRISE_CRASH_POINT;

/** The points at which no process died. */
async function killedAt(dies: readonly NamedPoint[]): Promise<NamedPoint[]> {
  const folder = newScenario();
  try {
    await driveToEnd({ folder, dies });
    await judge(folder);
  } catch (cause) {
    const met = dies.filter((point) => !remaining(folder, dies).includes(point)).map(describe);
    throw new Error(`Killed ${met.join(", then ")}; the folder is kept: ${folder}`, { cause });
  }
  const missed = remaining(folder, dies);
  rmSync(folder, { recursive: true });
  return missed;
}

export async function sweep(when: KillPoint["when"]): Promise<void> {
  const calls = await undisturbedCalls();
  const points = pointsOf(calls, when);
  const passedOver: NamedPoint[] = [];

  test("the run makes all the calls that matter", () => {
    const made = new Set(points.map(({ call }) => call));
    expect(effects.filter((call) => !made.has(call))).toEqual([]);
  });

  if (chosen !== undefined) {
    const named = points.map((point) => ({ point, name: describe(point) }));
    test.each(named.filter(({ name }) => name.includes(chosen)))(
      "killed $name",
      async ({ point }) => {
        expect(await killedAt([point])).toEqual([]);
      },
    );
    return;
  }

  const folder = newScenario();
  const share = shareFor(folder);
  rmSync(folder, { recursive: true });
  const numbers = Array.from({ length: scenarios }, (_, index) => index + 1);
  test.each(shareOf(numbers, share))(
    `killed ${when} every ${scenarios}th call, from number %i on${shareTitle(share)}`,
    async (from) => {
      const own = points.filter((_, index) => index % scenarios === from - 1);
      passedOver.push(...(await killedAt(own)));
    },
  );

  test("killed at what was passed over, each in a run of its own", async () => {
    const missed: NamedPoint[] = [];
    for (const point of passedOver) missed.push(...(await killedAt([point])));
    expect(missed.filter((point) => !mayBeMissed(point)).map(describe)).toEqual([]);
  });
}
