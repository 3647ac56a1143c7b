/** What Reprise adds to a turn: `send` of the library beside a plain `spawn` of the same argv. */

import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { TurnResult } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import { sessionName } from "@reprise/providers/scripted/files";
import { type Bench, type BenchOptions, type Figure, milliseconds, type Table } from "./bench.ts";
import { interleave, summarize } from "./measure.ts";
import { Scratch } from "./scratch.ts";

const key = "bench:turn";
const prompt = "echo a line of an ordinary answer";

/** A home whose turns are measured. */
export interface TurnHome {
  /** Its store. */
  readonly name: string;
  /** The address of its database; undefined for one in its folder. */
  readonly database: string | undefined;
  /** Milliseconds that Reprise may add to a turn. */
  readonly goal: number;
}

export const sqliteHome: TurnHome = { name: "SQLite", database: undefined, goal: 15 };

export const turn: Bench = {
  name: "turn",
  about: "What Reprise adds to a turn.",

  run: (options) => measureTurns(options, [sqliteHome]),
};

export async function measureTurns(
  { quick, progress }: BenchOptions,
  homes: readonly TurnHome[],
): Promise<Table & { readonly figures: Figure[] }> {
  using scratch = new Scratch();
  const plain = scratch.path("plain");
  await using senders = new AsyncDisposableStack();
  const sends = new Map<TurnHome, () => Promise<TurnResult>>();
  let command: readonly string[] = [];
  for (const [index, home] of homes.entries()) {
    const folder = scratch.folderOf(`${index}`);
    const ours = join(folder, "agent");
    const reprise = await openReprise({
      home: join(folder, "home"),
      store: home.database,
      cwd: scratch.folder,
    });
    senders.defer(() => reprise.close());
    await reprise.agents.create({ name: "coder", provider: "scripted", settings: { home: ours } });
    const send = async () =>
      requireDone(await reprise.sessions.send({ key, agent: "coder", prompt }));
    sends.set(home, send);

    // All then continue a session with the same past, each its own copy of it.
    await send();
    const { handle, argv } = (await send()).attempts[0]!;
    if (index > 0) continue;
    copySession(ours, plain, handle!);
    command = argv!.map((word) => (word === ours ? plain : word));
  }

  const rounds = quick ? 20 : 200;
  progress(`${rounds} rounds of turns`);
  const spawned = "spawn of the same argv";
  const samples = await interleave<string>(rounds, {
    ...Object.fromEntries([...sends].map(([home, send]) => [nameOf(home), send])),
    [spawned]: () => run(command, scratch.folder),
  });
  const without = summarize(samples[spawned]!).median;
  return {
    figures: homes.map((home) => {
      const added = summarize(samples[nameOf(home)]!).median - without;
      return {
        what: `added to a turn, difference of the medians, ${home.name}`,
        measured: milliseconds(added),
        goal: `≤ ${home.goal} ms`,
        met: added <= home.goal,
      };
    }),
    columns: ["", "median", "p90", "p99"],
    rows: Object.entries(samples).map(([name, times]) => {
      const { median, p90, p99 } = summarize(times);
      return [name, ...[median, p90, p99].map(milliseconds)];
    }),
    method: `${rounds} rounds, one turn after the other, of resumed turns of the scripted agent. The spawn gets the prompt on standard input, has its output read, and is waited for to its end; it continues a copy of the same provider session in a folder of its own.`,
  };
}

function nameOf({ name }: TurnHome): string {
  return `send of the library, ${name}`;
}

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
