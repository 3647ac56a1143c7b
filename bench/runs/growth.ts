/** Bytes that a run of many steps takes, each of which has a result of its own. */

import { globSync, statSync } from "node:fs";
import { type BenchOptions, type Figure, type Section, thousands } from "../bench.ts";
import { Scratch } from "../scratch.ts";
import { type Entrant, langgraph, reprise } from "./entrants.ts";

const bytes = 1_000;
const sizes = [100, 200, 400];
/** How much more than four times as much four times the steps may take. */
const tolerance = 0.1;

interface Way {
  readonly name: string;
  readonly entrant: Entrant;
  readonly argument: Readonly<Record<string, unknown>>;
}

const ways: readonly Way[] = [
  { name: "Reprise", entrant: reprise, argument: {} },
  {
    name: "LangGraph.js, results added to the state",
    entrant: langgraph,
    argument: { way: "added" },
  },
  {
    name: "LangGraph.js, only the last result in the state",
    entrant: langgraph,
    argument: { way: "replaced" },
  },
];

export async function measureGrowth(
  { progress }: BenchOptions,
  installProblem: string | null,
): Promise<{ figures: Figure[]; sections: Section[] }> {
  const rows: string[][] = [];
  const figures: Figure[] = [];
  for (const way of ways) {
    progress(`bytes: ${way.name}`);
    const problem = way.entrant === reprise ? null : installProblem;
    const found =
      problem === null ? await grown(way).catch((error: Error) => error.message) : problem;
    if (typeof found === "string") {
      if (way.entrant === reprise) throw new Error(found);
      rows.push([way.name, "not measured", "", "", "", found]);
      continue;
    }
    const factor = found.at(-1)! / found[0]!;
    const each = found.at(-1)! / sizes.at(-1)!;
    rows.push([way.name, ...found.map(thousands), thousands(each), `${factor.toFixed(1)} ×`]);
    if (way.entrant !== reprise) continue;
    const times = sizes.at(-1)! / sizes[0]!;
    figures.push({
      what: `bytes of ${sizes.at(-1)} steps beside those of ${sizes[0]}`,
      measured: `${factor.toFixed(1)} ×`,
      goal: `${times} ×`,
      met: factor <= times * (1 + tolerance),
    });
  }
  return {
    figures,
    sections: [
      {
        title: "Bytes of a run",
        columns: [
          "engine",
          ...sizes.map((size) => `${size} steps`),
          `bytes per step at ${sizes.at(-1)}`,
          `${sizes.at(-1)} beside ${sizes[0]}`,
        ],
        rows,
        method: `One run in a new database, each step with a result of ${thousands(bytes)} bytes; the files after the database was closed, without what an empty one takes. Reprise: a chain of function nodes in one file, whose text is kept with the run; every result stays. LangGraph.js: one node that is repeated; with a list in its state that every result is added to, as a conversation is, and with a state that holds the last result alone, so that earlier ones are found in earlier checkpoints only.`,
      },
    ],
  };
}

/** Bytes for each of the sizes. */
async function grown({ entrant, argument }: Way): Promise<number[]> {
  using scratch = new Scratch();
  const measure = async (steps: number): Promise<number> => {
    const folder = scratch.folderOf(String(steps));
    const contender = await entrant.start();
    try {
      await contender.ask("open", { folder, synchronisation: entrant.synchronisation });
      if (steps > 0) await contender.ask("grow", { steps, bytes, ...argument });
      await contender.ask("close");
    } finally {
      await contender.end();
    }
    return bytesIn(folder);
  };
  const empty = await measure(0);
  const found: number[] = [];
  for (const steps of sizes) found.push((await measure(steps)) - empty);
  return found;
}

function bytesIn(folder: string): number {
  return globSync("**", { cwd: folder })
    .map((name) => statSync(`${folder}/${name}`))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}
