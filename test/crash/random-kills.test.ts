/**
 * Reprise is killed at twenty random moments, one after the other in the same home, and continues after
 * each. The seed is printed; `REPRISE_CRASH_SEED=<seed>` draws the same moments again.
 */

import { rmSync } from "node:fs";
import { randomFrom } from "@reprise/store/suite/random";
import { expect, test } from "vitest";
import { runProgram } from "./run-program.ts";
import { judge, newScenario } from "./scenario.ts";

const kills = Number(process.env.REPRISE_CRASH_KILLS ?? 20);
const seed = Number(process.env.REPRISE_CRASH_SEED ?? Date.now() % 1_000_000);

test(`survives ${kills} kills at random moments (seed ${seed})`, async () => {
  console.log(`random kills: seed ${seed}`);
  const random = randomFrom(seed);
  let folder = newScenario();
  for (let kill = 0; kill < kills; kill += 1) {
    const ended = await runProgram({ folder }, 50 + random() * 900);
    if (ended.signal !== "SIGKILL") {
      expect(ended).toMatchObject({ code: 0 });
      judge(folder);
      rmSync(folder, { recursive: true });
      folder = newScenario();
    }
  }
  expect(await runProgram({ folder })).toMatchObject({ code: 0, signal: null });
  judge(folder);
  rmSync(folder, { recursive: true });
});
