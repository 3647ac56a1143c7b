/**
 * Kills Reprise before, or after, every call to its store and its launcher. Whatever the moment, the
 * next start continues: nothing is lost, nothing is sent twice. Each scenario is killed once before its
 * first prompt and once while each of its prompts is sent. A call that was passed over, since the death
 * before had done it, gets a scenario of its own. To replay one point:
 * `REPRISE_CRASH_POINT=12 npx vitest run test/crash/before-every-call.test.ts`.
 */

import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import type { TurnKillPoint } from "./calls.ts";
import { deathsIn, remaining } from "./deaths.ts";
import { runProgram } from "./run-program.ts";
import { judge, newScenario } from "./scenario.ts";
import { shareFor, shareOf, shareTitle } from "./share.ts";

const chosen = process.env.REPRISE_CRASH_POINT;

export interface TurnPoint extends TurnKillPoint {
  readonly prompt: number;
  /** By which it is replayed. */
  readonly number: number;
}

export async function sweep(when: TurnKillPoint["when"]): Promise<void> {
  const undisturbed = newScenario();
  const whole = await runProgram({ folder: undisturbed });

  test("undisturbed, the scenario is answered", () => {
    expect(whole).toMatchObject({ code: 0, signal: null, stderr: "" });
    judge(undisturbed);
    rmSync(undisturbed, { recursive: true });
  });

  const points = whole.calls
    .map((call, index) => ({ ...call, when, number: index + 1 }))
    .filter(({ number }) => chosen === undefined || number === Number(chosen));
  const passedOver: TurnPoint[] = [];

  const share = shareFor(undisturbed);
  const scenarios = shareOf(scenariosOf(points), share);
  test.each(scenarios)(`killed ${when} $title${shareTitle(share)}`, async ({ deaths }) => {
    passedOver.push(...(await killedAt(deaths)));
  });

  test("killed at what was passed over, each in a scenario of its own", async () => {
    const missed: TurnPoint[] = [];
    for (const point of passedOver) missed.push(...(await killedAt([point])));
    expect(missed.map(describe)).toEqual([]);
  });
}

/** Process after process, until none dies; returns where none did. */
async function killedAt(deaths: readonly TurnPoint[]): Promise<TurnPoint[]> {
  const folder = newScenario();
  try {
    let ended = await runProgram({ folder, dies: deaths });
    while (ended.signal === "SIGKILL")
      ended = await runProgram({ folder, dies: remaining(folder, deaths) });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    judge(folder);
  } catch (cause) {
    const met = deathsIn<TurnPoint>(folder).map(describe);
    throw new Error(`Killed ${met.join(", then ")}; the folder is kept: ${folder}`, { cause });
  }
  const missed = remaining(folder, deaths);
  rmSync(folder, { recursive: true });
  return missed;
}

/** The first point of each prompt, then the second of each, and so on. */
export function scenariosOf(
  points: readonly TurnPoint[],
): { title: string; deaths: TurnPoint[] }[] {
  const ofPrompts = Object.values(Object.groupBy(points, ({ prompt }) => prompt)) as TurnPoint[][];
  const most = Math.max(0, ...ofPrompts.map(({ length }) => length));
  return Array.from({ length: most }, (_, index) => {
    const deaths = ofPrompts.flatMap((ofPrompt) => ofPrompt[index] ?? []);
    return { title: `calls ${deaths.map(({ number }) => number).join(", ")}`, deaths };
  });
}

function describe({ when, number, name }: TurnPoint): string {
  return `${when} call ${number}, ${name}`;
}
