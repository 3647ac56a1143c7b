/** A process that sends turns to one session, and says of each what it took: `turns.ts HOME FOLDER COUNT`. */

import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Counts, count, takeCounts } from "./counters.ts";

export interface MeasuredTurn extends Counts {
  readonly argv: readonly string[];
  readonly handle: string;
  readonly outcome: string;
  /** Milliseconds. */
  readonly wall: number;
  /** Milliseconds of processor time of this process, of all its threads. */
  readonly cpu: number;
  /** The longest time in which the event loop did nothing else, in milliseconds. */
  readonly blocked: number;
  /** Bytes, the peak of this process until the end of this turn. */
  readonly memory: number;
}

await count();
const { openReprise } = await import("@reprise/engine/open-reprise");

const [home = "", folder = "", turns = "1"] = process.argv.slice(2);
const reprise = await openReprise({ home, cwd: folder });
for (let turn = 0; turn < Number(turns); turn += 1) {
  takeCounts();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const before = process.cpuUsage();
  const began = performance.now();
  const result = await reprise.sessions.send({
    key: "bench:large",
    agent: "coder",
    prompt: "continue with the next step",
  });
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  const { handle, argv } = result.attempts.at(-1) ?? {};
  if (result.turn.status !== "done" || result.notices.length > 0 || !handle || !argv)
    throw new Error(`not as expected: ${JSON.stringify([result.error, result.notices])}`);
  const measured: MeasuredTurn = {
    ...takeCounts(),
    ...{ argv, handle, wall },
    outcome: result.decision?.outcome ?? "",
    cpu: (user + system) / 1000,
    blocked: delay.max / 1e6,
    memory: process.resourceUsage().maxRSS * 1024,
  };
  console.log(JSON.stringify(measured));
}
await reprise.close();
