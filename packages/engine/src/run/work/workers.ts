/** The worker for each kind of work in this process. */

import { runAgent } from "./agent.ts";
import { runFunction } from "./function.ts";
import { runShell } from "./shell.ts";
import type { Workers } from "./work.ts";
import { makeWorkdir } from "./workdir.ts";

export const localWorkers: Workers = {
  agent: runAgent,
  shell: runShell,
  function: runFunction,
  workdir: makeWorkdir,
};
