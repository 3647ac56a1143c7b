/** How long the command line takes to start: the built program, as it is installed. */

import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { build } from "../scripts/build.ts";
import { type Bench, milliseconds, thousands } from "./bench.ts";
import { fill } from "./fill.ts";
import { interleave, summarize } from "./measure.ts";
import { Scratch } from "./scratch.ts";

const goals = { version: 80, list: 200 };
const sessions = 1_000;
const program = path.join(import.meta.dirname, "../packages/reprise");

export const start: Bench = {
  name: "start",
  about: "How long the command line takes to start.",

  async run({ quick, progress }) {
    using scratch = new Scratch();
    progress("build");
    await build();
    // Away from the clone, where the launcher would compare the build with its sources.
    for (const part of ["bin", "dist", "package.json"])
      cpSync(path.join(program, part), scratch.path("reprise", part), { recursive: true });
    const home = scratch.path("home");
    await fill(path.join(home, "reprise.db"), sessions);

    const rounds = quick ? 5 : 30;
    progress(`${rounds} rounds`);
    const reprise = (...args: string[]) =>
      node([scratch.path("reprise/bin/reprise.cjs"), ...args], home);
    const samples = await interleave(rounds, {
      "node -e 0": () => node(["-e", "0"], home),
      "reprise --version": () => reprise("--version"),
      "reprise session list": () => reprise("sessions", "list"),
    });

    const bare = summarize(samples["node -e 0"]).median;
    const version = summarize(samples["reprise --version"]).median - bare;
    const list = summarize(samples["reprise session list"]).median;
    return {
      figures: [
        {
          what: "reprise --version above node -e 0, difference of the medians",
          measured: milliseconds(version),
          goal: `< ${goals.version} ms`,
          met: version < goals.version,
        },
        {
          what: `reprise session list in a home with ${thousands(sessions)} sessions, median, Node's own start included`,
          measured: milliseconds(list),
          goal: `< ${goals.list} ms`,
          met: list < goals.list,
        },
      ],
      columns: ["", "median", "p90", "above node -e 0"],
      rows: Object.entries(samples).map(([name, times]) => {
        const { median, p90 } = summarize(times);
        return [name, ...[median, p90, median - bare].map(milliseconds)];
      }),
      method: `${rounds} rounds of the three, one after the other, each a process of its own from its start to its end. The bundle is in a folder of its own, as npm would install it; the first start leaves the compiled code for the others.`,
    };
  },
};

async function node(args: readonly string[], home: string): Promise<void> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, REPRISE_HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [, problem, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}: ${problem}`);
}
