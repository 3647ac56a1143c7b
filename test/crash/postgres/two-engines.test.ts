/**
 * Two engines on one home and one PostgreSQL database, each with a session of its own, and each killed before and after
 * every call that it makes to its store and its launcher. An engine that starts again recovers what the other one left.
 * Nothing is lost and nothing is sent twice, judged by the ledgers of both agents.
 */

import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import type { TurnKillPoint } from "../calls.ts";
import { deathsIn, remaining } from "../deaths.ts";
import { runProgram } from "../run-program.ts";
import { judge, newScenario } from "../scenario.ts";
import { shareFor, shareOf, shareTitle } from "../share.ts";
import { scenariosOf } from "../sweep.ts";

const callers = ["ann", "ben"];

/** A death of one of the callers. */
interface Death extends TurnKillPoint {
  readonly caller: string;
}

const undisturbed = newScenario(...callers);
const whole = await Promise.all(
  callers.map((caller) => runProgram({ folder: undisturbed, caller })),
);

test("undisturbed, both are answered", () => {
  for (const [index, caller] of callers.entries()) {
    expect(whole[index]).toMatchObject({ code: 0, signal: null, stderr: "" });
    judge(undisturbed, caller);
  }
  rmSync(undisturbed, { recursive: true });
});

const points = (["before", "after"] as const).flatMap((when) =>
  scenariosOf(whole[0]!.calls.map((call, index) => ({ ...call, when, number: index + 1 }))).map(
    ({ title, deaths }) => ({ title: `${when} ${title}`, deaths }),
  ),
);
const share = shareFor(undisturbed);

test.each(shareOf(points, share))(`killed $title${shareTitle(share)}`, async ({ deaths }) => {
  const folder = newScenario(...callers);
  try {
    await Promise.all(callers.map((caller) => untilItsEnd(folder, caller, deaths)));
    for (const caller of callers) judge(folder, caller);
  } catch (cause) {
    const met = deathsIn<Death>(folder).map(
      ({ caller, when, name, prompt }) => `${caller} ${when} ${name} of prompt ${prompt}`,
    );
    throw new Error(`Killed: ${met.join(", ")}; the folder is kept: ${folder}`, { cause });
  }
  expect(new Set(deathsIn<Death>(folder).map(({ caller }) => caller))).toEqual(new Set(callers));
  rmSync(folder, { recursive: true });
});

/** Process after process, until none dies. */
async function untilItsEnd(
  folder: string,
  caller: string,
  points: readonly TurnKillPoint[],
): Promise<void> {
  const own = points.map((point): Death => ({ ...point, caller }));
  for (;;) {
    const ended = await runProgram({ folder, caller, dies: remaining(folder, own) });
    if (ended.signal === "SIGKILL") continue;
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    return;
  }
}
