/** The moments at which a run is killed, taken from the calls of an undisturbed one. */

import { rmSync } from "node:fs";
import type { KillPoint, MadeCall, NamedPoint } from "./calls.ts";
import { driveToEnd, judge, newScenario } from "./scenario.ts";
import { type Scenario, survives } from "./workflow.ts";

/** What a run needs, and what leaves something behind. */
export const effects = [
  "store.createRun",
  "store.advanceRun",
  "store.takeRun",
  "store.answerItem",
  "store.createAgent",
  "store.beginTurn",
  "store.recordLaunch",
  "store.finishTurn",
  "launcher.prepare",
  "launcher.start",
  "launcher.follow",
  "launcher.remove",
];

export async function undisturbedCalls(of: Scenario = survives): Promise<MadeCall[]> {
  const folder = newScenario();
  const calls = await driveToEnd({ folder, source: of.source });
  await judge(folder, { of });
  rmSync(folder, { recursive: true });
  return calls;
}

/** Each effect, and of the calls that only look the first of each name after each type of event. */
export function pointsOf(calls: readonly MadeCall[], when: KillPoint["when"]): NamedPoint[] {
  const points = new Map<string, NamedPoint>();
  for (const { stage, call, about, after } of calls) {
    const which = effects.includes(call) ? { about } : { after };
    const point = { when, stage, call, ...which };
    points.set(describe(point), point);
  }
  return [...points.values()];
}

export function describe({ when, stage, call, about, after }: NamedPoint): string {
  const which = about ? ` of ${about}` : after ? ` after ${after}` : "";
  return `${when} ${call}${which}, ${stage}`;
}

/** With branches side by side no two runs have the same looks after the same events. */
export function mayBeMissed({ call }: NamedPoint): boolean {
  return !effects.includes(call);
}
