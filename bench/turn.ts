/** What Reprise adds to a turn: `send` of the library beside a plain `spawn` of the same argv. */

import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { TurnResult } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import { sessionName } from "@reprise/providers/scripted/files";
import { type Bench, milliseconds } from "./bench.ts";
import { interleave, summarize } from "./measure.ts";
import { Scratch } from "./scratch.ts";

const goal = 15;
const key = "bench:turn";
const prompt = "echo a line of an ordinary answer";

export const turn: Bench = {
  name: "turn",
  about: "What Reprise adds to a turn.",

  async run({ quick, progress }) {
    using scratch = new Scratch();
    const [ours, plain] = [scratch.path("ours"), scratch.path("plain")];
    const reprise = await openReprise({ home: scratch.path("home"), cwd: scratch.folder });
    await reprise.agents.create({ name: "coder", provider: "scripted", settings: { home: ours } });
    const send = async () =>
      requireDone(await reprise.sessions.send({ key, agent: "coder", prompt }));

    // Both then continue a session with the same past, each its own copy of it.
    await send();
    const { handle, argv } = (await send()).attempts[0]!;
    copySession(ours, plain, handle!);
    const command = argv!.map((word) => (word === ours ? plain : word));

    const pairs = quick ? 20 : 200;
    progress(`${pairs} pairs`);
    const samples = await interleave(pairs, {
      "send of the library": send,
      "spawn of the same argv": () => run(command, scratch.folder),
    });
    await reprise.close();

    const summaries = Object.entries(samples).map(([name, times]) => ({
      name,
      ...summarize(times),
    }));
    const [withReprise, without] = summaries;
    const added = withReprise!.median - without!.median;
    return {
      figures: [
        {
          what: "added to a turn, difference of the medians",
          measured: milliseconds(added),
          goal: `≤ ${goal} ms`,
          met: added <= goal,
        },
      ],
      columns: ["", "median", "p90", "p99"],
      rows: summaries.map(({ name, median, p90, p99 }) => [
        name,
        ...[median, p90, p99].map(milliseconds),
      ]),
      method: `${pairs} pairs, one after the other, of resumed turns of the scripted agent. The spawn gets the prompt on standard input, has its output read, and is waited for to its end; it continues a copy of the same provider session in a folder of its own.`,
    };
  },
};

function requireDone(result: TurnResult): TurnResult {
  if (result.turn.status !== "done") throw new Error(`not done: ${JSON.stringify(result.error)}`);
  return result;
}

function copySession(from: string, to: string, id: string): void {
  const file = sessionName(id);
  mkdirSync(dirname(join(to, file)), { recursive: true });
  copyFileSync(join(from, file), join(to, file));
}

async function run([program, ...args]: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program!, args, { cwd, stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  child.stdin.end(prompt);
  const [output, , code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0 || !output.includes('"ok":true')) throw new Error(`the agent failed: ${output}`);
}
