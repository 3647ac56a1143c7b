/** Durable steps per second: chains of function nodes, each step committed before the next begins. */

import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { type BenchOptions, type Figure, type Section, thousands } from "../bench.ts";
import { summarize } from "../measure.ts";
import { Scratch } from "../scratch.ts";
import { chainLength } from "./contender.ts";
import { bare, type Entrant, onTheDisk, withTheSystem } from "./entrants.ts";
import { type Outcome, Racer, type Speeds } from "./racer.ts";

export type Extent = (typeof extents)["full"];

const extents = {
  full: {
    rounds: 3,
    warmUp: 1000,
    chains: new Map([
      [1, 400],
      [50, 2000],
    ]),
  },
  quick: {
    rounds: 1,
    warmUp: 20,
    chains: new Map([
      [1, 20],
      [50, 100],
    ]),
  },
};
export const concurrencies = [...extents.full.chains.keys()];

interface Race {
  /** What a commit is there, for the names of figures. */
  readonly commit: string;
  readonly folder: string;
  /** Reprise first. */
  readonly entrants: readonly Entrant[];
}

interface Course extends Race {
  readonly title: string;
  readonly method: (extent: Extent) => string;
}

const onDisk: Course = {
  title: "Durable steps, each on the disk",
  commit: "on the disk",
  folder: tmpdir(),
  entrants: onTheDisk,
  method: diskMethod,
};
const withSystem: Course = {
  title: "Durable steps, each with the operating system",
  commit: "with the system",
  folder: tmpdir(),
  entrants: withTheSystem,
  method: () =>
    `The same, when a commit may be on the disk somewhat later: a killed process loses nothing, a loss of power may take the last steps (\`synchronous_commit off\` may lose them with the process too). LangGraph.js comes like this. So does Reprise for steps between function nodes, which leave no trace and can be called again; whatever starts an agent or a script, opens a gate or ends the run is on the disk before it is acknowledged, with everything before it. Here that is the end of each run; the others promise nothing at all.`,
};
const inMemory: Course = {
  title: "Durable steps when the disk costs nothing",
  commit: "in memory",
  folder: "/dev/shm",
  entrants: onTheDisk,
  method: () =>
    `The first of these with every database in ${inMemory.folder}, a folder in memory: each engine synchronises as there, and the disk answers at once. What is left is the work of the engines themselves.`,
};
const memoryNeeded = 2e9;

type Outcomes = ReadonlyMap<Entrant, Outcome>;

export function extentOf({ quick }: BenchOptions): Extent {
  return quick ? extents.quick : extents.full;
}

export async function measureSteps(
  options: BenchOptions,
  installProblem: string | null,
): Promise<{ figures: Figure[]; sections: Section[] }> {
  const courses = [onDisk, withSystem, ...(hasMemory() ? [inMemory] : [])];
  const figures: Figure[] = [];
  const sections: Section[] = [];
  for (const course of courses) {
    const outcomes = await race(course, options, installProblem);
    const own = outcomes.get(course.entrants[0]!)!;
    if ("problem" in own) throw new Error(own.problem);
    figures.push(...figuresOf(course, own.speeds, outcomes));
    sections.push(sectionOf(course, own.speeds, outcomes, extentOf(options)));
  }
  return { figures, sections };
}

/** `peersProblem`: what keeps all but the first from taking part. */
export async function race(
  { commit, folder, entrants }: Race,
  options: BenchOptions,
  peersProblem: string | null = null,
): Promise<Outcomes> {
  const extent = extentOf(options);
  using scratch = new Scratch(folder);
  const racers = entrants.map((entrant, index) => {
    const problem = index === 0 ? null : peersProblem;
    return { entrant, racer: new Racer(entrant, scratch.folderOf(`${index}`), extent, problem) };
  });
  for (let round = 1; round <= extent.rounds; round += 1)
    for (const { entrant, racer } of inTurn(racers, round)) {
      options.progress(`steps ${commit}, ${round} of ${extent.rounds}: ${entrant.name}`);
      await racer.race(round);
    }
  const outcomes = new Map<Entrant, Outcome>();
  for (const { entrant, racer } of racers) outcomes.set(entrant, await racer.finish());
  return outcomes;
}

function figuresOf({ commit }: Course, own: Speeds, outcomes: Outcomes): Figure[] {
  const least = [...outcomes].find(([{ name }]) => name === bare.name)?.[1];
  const most = (other: Speeds) =>
    least && "speeds" in least
      ? `, SQLite alone ${factorOf(least.speeds, other, 1).toFixed(1)} ×`
      : "";
  return [...outcomes].flatMap(([{ name, goal }, outcome]) => {
    if (goal === null) return [];
    return concurrencies.map((concurrency): Figure => {
      const what = `steps/s ${commit}, ${concurrency} at a time: Reprise beside ${name}`;
      const wanted = `≥ ${goal} ×`;
      if ("problem" in outcome) return { what, measured: outcome.problem, goal: wanted, met: null };
      const factor = factorOf(own, outcome.speeds, concurrency);
      const measured = `${factor.toFixed(1)} ×${concurrency === 1 ? most(outcome.speeds) : ""}`;
      return { what, measured, goal: wanted, met: factor >= goal };
    });
  });
}

function sectionOf(course: Course, own: Speeds, outcomes: Outcomes, extent: Extent): Section {
  return {
    title: course.title,
    columns: [
      "engine",
      "synchronisation",
      ...concurrencies.flatMap((number) => [`steps/s, ${number} at a time`, "Reprise is"]),
      "steps found afterwards",
    ],
    rows: [...outcomes].map(([{ name, how }, outcome]) => {
      if ("problem" in outcome)
        return [name, how, ...concurrencies.flatMap(() => ["not measured", ""]), outcome.problem];
      const cells = concurrencies.flatMap((concurrency) => {
        const { median } = summarize(outcome.speeds.get(concurrency)!);
        const factor = factorOf(own, outcome.speeds, concurrency);
        return [thousands(median), outcome.speeds === own ? "" : `${factor.toFixed(1)} ×`];
      });
      return [name, how, ...cells, thousands(outcome.steps)];
    }),
    method: course.method(extent),
  };
}

/** How each engine is measured. */
export function roundsOf({ rounds, warmUp, chains }: Extent): string {
  const counts = [...chains].map(([concurrency, count]) => `${count}, ${concurrency} at a time`);
  return `A chain is ${chainLength} steps that each add one to a number; the result of a step is committed before the next one begins. Rounds: ${rounds}. In each, every engine is started in a process of its own, warmed up with ${warmUp} chains, measured with ${counts.join(" and then with ")}, and ended before the next one starts; the order changes with every round. Speeds are medians of the rounds, factors medians of what they were in each round. The client, the engine and its database share the machine. Finally every database is opened once more and its steps are counted: each must be there exactly once.`;
}

function diskMethod(extent: Extent): string {
  const left = hasMemory()
    ? ""
    : `\n\nNot measured: the same in memory, since ${inMemory.folder} is not there or too small.`;
  return `${roundsOf(extent)}

- **Reprise**: \`runs.start\` of the library. The steps are function nodes, which run in an interpreter that can reach nothing; the steps of the others are functions that Node itself calls in the process of the engine. A step is one commit, of its result and of what it starts; runs that take one at the same moment share it. For this table the result of every step was made to wait for the disk, which those between functions do not do as Reprise comes.
- **LangGraph.js**: one graph node per step, \`durability: "sync"\`, which awaits the checkpoint of a step before the next one. On better-sqlite3 13, whose package brings the built program.
- **DBOS**: a workflow of \`DBOS.runStep\`, called in its process, with the settings as they come; PostgreSQL from npm, on loopback.
- **Restate**: a workflow of \`ctx.run\`, called over HTTP; one server with the settings as they come, telemetry off, in a network namespace of its own.
- **SQLite alone**: one row and one commit for each step, with \`node:sqlite\`, and no engine at all. One chain at a time nothing that keeps its steps in SQLite can be quicker: what this is beside another engine is the most that can be reached. Chains side by side can share commits, which it does not.${left}`;
}

/** Computed for each round by itself, because the machine's other load changes; then the median. */
function factorOf(own: Speeds, other: Speeds, concurrency: number): number {
  const others = other.get(concurrency)!;
  return summarize(own.get(concurrency)!.map((speed, round) => speed / others[round]!)).median;
}

function inTurn<Item>(items: readonly Item[], round: number): Item[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(inMemory.folder);
    return bavail * bsize >= memoryNeeded;
  } catch {
    return false;
  }
}
