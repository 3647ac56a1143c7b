/** The runs and the inbox of a home. Most commands need neither, so their code is loaded when one is first used. */

import { once } from "@reprise/core/api/once";
import type { Engine } from "./engine.ts";
import type { Runs } from "./open-runs.ts";

export function lazyRuns(engine: Engine): Runs {
  let isUsed = false;
  const opened = once(async () => {
    isUsed = true;
    return (await import("./open-runs.ts")).openRuns(engine);
  });
  const runs = async () => (await opened()).runs;
  const inbox = async () => (await opened()).inbox;
  return {
    runs: {
      start: async (start, options) => (await runs()).start(start, options),
      plan: async (start, options) => (await runs()).plan(start, options),
      list: async (query) => (await runs()).list(query),
      count: async (query) => (await runs()).count(query),
      show: async (run) => (await runs()).show(run),
      async *events(run, options) {
        yield* (await runs()).events(run, options);
      },
      cancel: async (cancel) => (await runs()).cancel(cancel),
      rerun: async (rerun, options) => (await runs()).rerun(rerun, options),
      continue: async (run, options) => (await runs()).continue(run, options),
      carryOn: async (run, options) => (await runs()).carryOn(run, options),
      recover: async (options) => (await runs()).recover(options),
    },
    inbox: {
      list: async (query) => (await inbox()).list(query),
      count: async (query) => (await inbox()).count(query),
      show: async (item) => (await inbox()).show(item),
      answer: async (answer, options) => (await inbox()).answer(answer, options),
    },
    async leave() {
      if (isUsed) await (await opened()).leave();
    },
  };
}
