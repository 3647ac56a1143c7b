/** Runs: durable steps beside other engines, what is stored, parked gates, and recovery. */

import type { Bench } from "./bench.ts";
import { installPeers } from "./runs/entrants.ts";
import { measureGates } from "./runs/gates.ts";
import { measureGrowth } from "./runs/growth.ts";
import { measureRecovery } from "./runs/recovery.ts";
import { measureSteps } from "./runs/steps.ts";
import { sqlite } from "./stores.ts";

export const runs: Bench = {
  name: "runs",
  about: `How runs of workflows do beside other durable engines, measured side by side in one run of the bench. The other benches of Reprise are in [bench/results](../bench/results); none of them is a test, and no test asserts a time.`,
  page: { title: "Benchmarks of runs", file: "docs/benchmarks.md" },

  async run(options) {
    options.progress("install the peers");
    const problem = await installPeers();
    const steps = await measureSteps(options, problem);
    const growth = await measureGrowth(options, problem);
    const gates = await measureGates(options, [sqlite]);
    const recovery = await measureRecovery(options, [sqlite]);
    const parts = [steps, growth, gates, recovery];
    return {
      figures: parts.flatMap(({ figures }) => figures),
      sections: parts.flatMap(({ sections }) => sections),
    };
  },
};
