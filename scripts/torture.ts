/**
 * `npm run torture [-- --kills 200 --seed N --minutes M]`: kills Reprise at random moments, many times
 * more than the test does, and ends at the first violation with its folder kept for a look. With `--runs`
 * it is a workflow's run that is driven, and it is killed at every call as well, unless `--no-calls`.
 */

import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { randomFrom } from "@reprise/store/suite/random";
import { runProgram } from "../test/crash/run-program.ts";
import { judge, newScenario } from "../test/crash/scenario.ts";
import { tortureRuns } from "./torture-runs.ts";

interface Options {
  readonly kills: number;
  readonly seed: number;
  readonly minutes: number;
  readonly runs: boolean;
  readonly calls: boolean;
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const options = readOptions(args);
  if (options === null) {
    console.error(
      "Usage: npm run torture -- [--kills N] [--seed N] [--minutes N] [--runs [--no-calls]]",
    );
    return 2;
  }
  return options.runs ? tortureRuns(options) : torture(options);
}

async function torture({ kills, seed, minutes }: Options): Promise<number> {
  console.log(`${kills} kills, at most ${minutes} minutes, seed ${seed}`);
  const random = randomFrom(seed);
  const began = performance.now();
  let killed = 0;
  let answered = 0;
  let folder = newScenario();

  /** Lets Reprise continue in the same home; a finished scenario is judged, and a new one begins. */
  async function goOn(killAfter?: number): Promise<void> {
    const ended = await runProgram({ folder }, killAfter);
    if (ended.signal === "SIGKILL") {
      killed += 1;
      if (killed % 10 === 0) console.log(`${killed} kills, ${answered} scenarios answered`);
      return;
    }
    if (ended.code !== 0) throw new Error(`Reprise ended with ${ended.code}: ${ended.stderr}`);
    judge(folder);
    answered += 1;
    rmSync(folder, { recursive: true });
    folder = newScenario();
  }

  try {
    await goOn();
    const undisturbed = performance.now() - began;
    const inTime = () => performance.now() - began < minutes * 60_000;
    // Drawn from the time that a whole scenario takes here, so that every part of it is met.
    while (killed < kills && inTime()) await goOn(random() * undisturbed);
    await goOn();
  } catch (violation) {
    console.log(`Violated after ${killed} kills (seed ${seed}); the folder is kept: ${folder}`);
    console.log(violation instanceof Error ? violation.message : violation);
    return 1;
  }
  rmSync(folder, { recursive: true });
  console.log(`${killed} kills, ${answered} scenarios answered, no violation (seed ${seed})`);
  return 0;
}

function readOptions(args: string[]): Options | null {
  try {
    const { values } = parseArgs({
      args,
      allowNegative: true,
      options: {
        kills: { type: "string", default: "200" },
        seed: { type: "string", default: String(Date.now() % 1_000_000) },
        minutes: { type: "string", default: "30" },
        runs: { type: "boolean", default: false },
        calls: { type: "boolean", default: true },
      },
    });
    const [kills, seed, minutes] = [values.kills, values.seed, values.minutes].map(Number);
    const usable = [kills, seed, minutes].every((value) => Number.isFinite(value) && value! >= 0);
    const { runs, calls } = values;
    return usable ? { kills: kills!, seed: seed!, minutes: minutes!, runs, calls } : null;
  } catch {
    return null;
  }
}
