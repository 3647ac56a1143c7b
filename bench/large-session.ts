/** What a turn of a session takes whose provider file is large. */

import { spawn } from "node:child_process";
import { cpSync, globSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { openReprise } from "@reprise/engine/open-reprise";
import { type Bench, type BenchOptions, type Figure, milliseconds } from "./bench.ts";
import type { MeasuredTurn } from "./large-session/turns.ts";
import { interleave, summarize } from "./measure.ts";
import { Scratch } from "./scratch.ts";

const kinds = ["claude", "codex"] as const;
type Kind = (typeof kinds)[number];

const scripts = path.join(import.meta.dirname, "large-session");
/** How often the file may be read and hashed: before the turn, and after it. */
const goals = { read: 2.1, hashed: 3.2 };

interface Measured {
  readonly kind: Kind;
  /** Bytes of the provider's file before the resumed turns. */
  readonly size: number;
  readonly first: MeasuredTurn;
  /** Resumed turns, each the first of its process; and those that followed in the same processes. */
  readonly alone: readonly MeasuredTurn[];
  readonly following: readonly MeasuredTurn[];
  /** Milliseconds that the agent takes without Reprise, and a whole process of Reprise with two turns. */
  readonly bare: number;
}

export const largeSession: Bench = {
  name: "large-session",
  about: "What a resumed turn takes when the provider's file of the session is large.",

  async run(options) {
    const measured: Measured[] = [];
    for (const kind of kinds) measured.push(await measure(kind, options));
    return {
      figures: measured.flatMap(figuresOf),
      columns: [
        ...["agent", "turn", "added", "processor time", "read", "hashed", "compressed"],
        ...["longest block", "peak memory"],
      ],
      rows: measured.flatMap((each) => [
        row(each, "first: makes the file", [each.first]),
        row(each, "resumed, in a new process", each.alone),
        row(each, "resumed, next in the same process", each.following),
      ]),
      method: `The agent is a small program that appends records like those of the real one and prints its stream; its first turn writes the whole file. ${measured[0]?.alone.length} processes of the library send two turns each. *Added* is the time of \`send\` beside that of the same command without Reprise, medians; processor time is that of the library's process with all its threads. *Read* are bytes of files, without the database; *hashed* includes the digests of single messages. The longest block is the time in which the event loop did nothing else; memory is the peak of the process, so that of a second turn includes the first.`,
    };
  },
};

async function measure(kind: Kind, { quick, progress }: BenchOptions): Promise<Measured> {
  const bytes = quick ? 5_000_000 : 50_000_000;
  using scratch = new Scratch();
  const [home, folder, agentHome] = ["home", "folder", "agent"].map((name) =>
    scratch.folderOf(name),
  ) as [string, string, string];
  const binary = scratch.path(kind);
  const command = [process.execPath, path.join(scripts, "agent.ts"), kind];
  writeFileSync(binary, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(" ")} "$@"\n`, {
    mode: 0o755,
  });
  const env = {
    ...process.env,
    BENCH_SESSION_BYTES: String(bytes),
    OPENAI_API_KEY: "a-key",
    ANTHROPIC_API_KEY: "a-key",
  };
  const reprise = await openReprise({ home, cwd: folder, env });
  await reprise.agents.create({
    name: "coder",
    provider: kind,
    settings: { binary, home: agentHome },
  });
  await reprise.close();

  const turns = async (count: number): Promise<MeasuredTurn[]> => {
    const args = [path.join(scripts, "turns.ts"), home, folder, String(count)];
    const output = await run([process.execPath, ...args], { cwd: folder, env });
    return output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as MeasuredTurn);
  };
  progress(`${kind}: the first turn`);
  const [first] = (await turns(1)) as [MeasuredTurn];
  const size = fileSize(agentHome);
  const [{ argv }] = (await turns(1)) as [MeasuredTurn];

  const copy = scratch.path("copy");
  cpSync(agentHome, copy, { recursive: true });
  const bareEnv = { ...env, CLAUDE_CONFIG_DIR: copy, CODEX_HOME: copy };
  const rounds = quick ? 2 : 5;
  progress(`${kind}: ${rounds} rounds`);
  const sent: MeasuredTurn[][] = [];
  const { bare } = await interleave(rounds, {
    bare: () => run(argv, { cwd: folder, env: bareEnv, input: "continue with the next step" }),
    send: async () => sent.push(await turns(2)),
  });
  const odd = sent.flat().find(({ outcome }) => outcome !== "resume");
  if (odd) throw new Error(`a turn of ${kind} was ${odd.outcome}`);
  const [alone, following] = [0, 1].map((place) => sent.map((each) => each[place]!));
  return { kind, size, first, alone: alone!, following: following!, bare: summarize(bare).median };
}

function fileSize(agentHome: string): number {
  const [file] = globSync("{projects,sessions}/**/*.jsonl", { cwd: agentHome });
  return statSync(path.join(agentHome, file!)).size;
}

function figuresOf({ kind, size, alone }: Measured): Figure[] {
  const times = (part: "read" | "hashed") => medianOf(alone, (turn) => turn[part]) / size;
  return (["read", "hashed"] as const).map((part) => ({
    what: `${kind}: bytes ${part} in a resumed turn, by the size of the file`,
    measured: times(part).toFixed(2),
    goal: `≤ ${goals[part]}`,
    met: times(part) <= goals[part],
  }));
}

function row({ kind, bare }: Measured, name: string, turns: readonly MeasuredTurn[]): string[] {
  const median = (of: (turn: MeasuredTurn) => number) => medianOf(turns, of);
  return [
    ...[kind, name],
    milliseconds(median(({ wall }) => wall) - bare),
    milliseconds(median(({ cpu }) => cpu)),
    megabytes(median(({ read }) => read)),
    megabytes(median(({ hashed }) => hashed)),
    megabytes(median(({ compressed }) => compressed)),
    milliseconds(median(({ blocked }) => blocked)),
    megabytes(median(({ memory }) => memory)),
  ];
}

function medianOf<Of>(all: readonly Of[], of: (each: Of) => number): number {
  return summarize(all.map(of)).median;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Its output. */
async function run(
  [program, ...args]: readonly string[],
  { cwd, env, input = "" }: { cwd: string; env: NodeJS.ProcessEnv; input?: string },
): Promise<string> {
  const child = spawn(program!, args, { cwd, env });
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
