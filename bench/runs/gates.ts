/** What many parked gates cost the process that has the home open. */

import { type BenchOptions, type Figure, milliseconds, type Section, thousands } from "../bench.ts";
import { summarize, timed } from "../measure.ts";
import { Scratch } from "../scratch.ts";
import { reprise } from "./entrants.ts";
import type { Idle } from "./reprise.ts";

const goals = { share: 0.01, megabytes: 250, start: 2_000 };
const answers = 100;

export async function measureGates({
  quick,
  progress,
}: BenchOptions): Promise<{ figures: Figure[]; sections: Section[] }> {
  const gates = quick ? 2_000 : 100_000;
  const seconds = quick ? 2 : 20;
  using scratch = new Scratch();
  const { folder } = scratch;

  progress(`${thousands(gates)} gates are parked`);
  const parking = await reprise.start();
  await parking.ask("open", { folder });
  const parked = await parking.ask<number>("park", {
    name: "gate",
    count: gates,
    concurrency: 200,
  });
  await parking.ask("close");
  await parking.end();

  progress(`${seconds} s with ${thousands(gates)} gates`);
  const began = performance.now();
  const server = await reprise.start();
  const opened = await timed(() => server.ask("open", { folder }));
  const recovered = await timed(() => server.ask("recover"));
  const started = performance.now() - began;
  const idle = (follows: boolean) => server.ask<Idle>("idle", { seconds, follows });
  const { share, residentBytes } = await idle(false);
  const following = await idle(true);
  const answered = summarize(await server.ask<number[]>("answer", answers));
  await server.ask("close");
  await server.end();

  const megabytes = residentBytes / 1e6;
  const many = `${thousands(gates)} parked gates`;
  const row = (what: string, found: string) => [what, found];
  return {
    figures: [
      {
        what: `${many}: processor, of one core`,
        measured: percent(share),
        goal: `< ${percent(goals.share)}`,
        met: share < goals.share,
      },
      {
        what: `${many}: resident memory`,
        measured: `${thousands(megabytes)} MB`,
        goal: `< ${goals.megabytes} MB`,
        met: megabytes < goals.megabytes,
      },
      {
        what: `${many}: from the start of the process until the home is open and nothing is left to recover`,
        measured: milliseconds(started),
        goal: `< ${thousands(goals.start)} ms`,
        met: started < goals.start,
      },
    ],
    sections: [
      {
        title: "Parked gates",
        columns: [many, ""],
        rows: [
          row("processor while nothing happens, of one core", percent(share)),
          row("the same while a client follows the events of the home", percent(following.share)),
          row("resident memory", `${thousands(megabytes)} MB`),
          row("from the start of the process until open and recovered", milliseconds(started)),
          row("of this: openReprise", milliseconds(opened)),
          row("of this: runs.recover", milliseconds(recovered)),
          row("answer one and carry its run to the end, median", milliseconds(answered.median)),
          row("the same, p99", milliseconds(answered.p99)),
          row(
            "start a run and park it, 200 at a time",
            `${thousands((gates * 1000) / parked)} per second`,
          ),
        ],
        method: `${thousands(gates)} runs of a workflow with a gate and a step after it, started through the library, each parked at its gate with a deadline in 30 days. Then a new process opens the home, recovers, does nothing for ${seconds} s, follows the events of the home for as long, and answers ${answers} of them one after the other.`,
      },
    ],
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
