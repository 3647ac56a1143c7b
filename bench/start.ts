/** What the command line adds at a shell: the built program, as it is installed. */

import { spawn } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { build } from "../scripts/build.ts";
import { type Bench, milliseconds, thousands } from "./bench.ts";
import { fill } from "./fill.ts";
import { interleave, summarize } from "./measure.ts";
import { Scratch } from "./scratch.ts";

const goals = { version: 80, list: 200, send: 120 };
const prompt = "echo a line of an ordinary answer";
const sessions = 1_000;
const program = path.join(import.meta.dirname, "../packages/reprise");

export const start: Bench = {
  name: "start",
  about: "How long the command line takes to start, and what it adds to a turn at a shell.",

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
    const installed = scratch.path("reprise/bin/reprise.cjs");
    const [alone, served] = [scratch.path("alone"), scratch.path("served")];
    for (const folder of [alone, served]) mkdirSync(folder);
    const reprise = (folder: string, ...args: string[]) => node([installed, ...args], folder);
    const send = (folder: string, ...more: string[]) =>
      reprise(folder, "send", "bench", prompt, "--agent", "coder", ...more);
    for (const folder of [alone, served])
      await reprise(folder, "agent", "create", "coder", "--provider", "scripted");
    await reprise(served, "up", "--detach", "--port", "0");
    let samples: Record<string, number[]>;
    try {
      for (const folder of [alone, served]) await send(folder);
      const { attempts } = JSON.parse(await send(alone, "--json"));
      const [agent, ...words] = withCopiedSession(attempts[0].argv, scratch.path("plain"));
      samples = await interleave(rounds, {
        "node -e 0": () => node(["-e", "0"], home),
        "reprise --version": () => reprise(home, "--version"),
        "reprise session list": () => reprise(home, "session", "list"),
        "the agent alone": () => run(agent!, words, { home, input: prompt }),
        "reprise send": () => send(alone),
        "reprise send, through a server": () => send(served),
      });
    } finally {
      await reprise(served, "down");
    }

    const median = (name: string) => summarize(samples[name]!).median;
    const bare = median("node -e 0");
    const version = median("reprise --version") - bare;
    const list = median("reprise session list");
    const added = (name: string) => median(name) - median("the agent alone");
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
        ...["reprise send", "reprise send, through a server"].map((name) => ({
          what: `${name}: added to the agent alone, difference of the medians`,
          measured: milliseconds(added(name)),
          goal: `≤ ${goals.send} ms, aim 80 ms`,
          met: added(name) <= goals.send,
        })),
      ],
      columns: ["", "median", "p90", "above node -e 0"],
      rows: Object.entries(samples).map(([name, times]) => {
        const { median, p90 } = summarize(times);
        return [name, ...[median, p90, median - bare].map(milliseconds)];
      }),
      method: `${rounds} rounds of these, one after the other, each a process of its own from its start to its end. The bundle is in a folder of its own, as npm would install it; the first start leaves the compiled code for the others. The turns continue a session of the scripted agent, which is a Node program itself; the agent alone gets the same arguments and continues a copy of the session.`,
    };
  },
};

/** The command with a copy of its session: in the one of Reprise, its turns would have to be imported. */
function withCopiedSession(command: readonly string[], copy: string): string[] {
  const home = command[command.indexOf("--home") + 1]!;
  cpSync(home, copy, { recursive: true });
  return command.map((word) => (word === home ? copy : word));
}

function node(args: readonly string[], home: string): Promise<string> {
  return run(process.execPath, args, { home });
}

/** Its output. */
async function run(
  program: string,
  args: readonly string[],
  { home, input = "" }: { home: string; input?: string },
): Promise<string> {
  const child = spawn(program, args, { env: { ...process.env, REPRISE_HOME: home } });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  child.stdin.end(input);
  const [output, problem, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${problem}`);
  return output;
}
