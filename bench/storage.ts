/** Bytes that a turn adds, over many turns of one session. */

import { globSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openReprise } from "@reprise/engine/open-reprise";
import { leftOut } from "../test/agents/agents.ts";
import { type Bench, type BenchOptions, type Figure, thousands } from "./bench.ts";
import { CodexAgent } from "./codex-agent.ts";
import { Scratch } from "./scratch.ts";

/** How much more the last turns may take than the first ones: page sizes do not divide evenly. */
const tolerance = 0.1;

interface Bytes {
  readonly database: number;
  readonly spools: number;
  readonly session: number;
}

interface Span {
  readonly provider: string;
  readonly from: number;
  readonly until: number;
  /** Bytes per turn. */
  readonly database: number;
  readonly session: number;
  readonly bytes: Bytes;
}

/** What a bench of many turns needs of an agent. */
interface Agent extends AsyncDisposable {
  readonly settings: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  beforeTurn(): Promise<void>;
}

const agents: Readonly<Record<string, (home: string) => Agent>> = {
  scripted: (home) => ({
    settings: { home },
    env: process.env,
    beforeTurn: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }),
  codex: (home) => new CodexAgent(home),
};

export const storage: Bench = {
  name: "storage",
  about: "Bytes that a turn adds, over many turns of one session.",

  async run(options) {
    const absent = leftOut("codex");
    const providers = Object.keys(agents).filter((name) => name !== "codex" || absent === null);
    const spans: Span[][] = [];
    for (const provider of providers) spans.push(await measure(provider, options));
    return {
      figures: spans.map(figureOf),
      columns: [
        "agent",
        "turns",
        "database, bytes per turn",
        "provider's file, bytes per turn",
        "provider's file in all",
        "database in all",
        "spools in all",
      ],
      rows: spans
        .flat()
        .map(({ provider, from, until, database, session, bytes }) => [
          provider,
          `${from + 1} to ${until}`,
          ...[database, session, bytes.session, bytes.database, bytes.spools].map(thousands),
        ]),
      method: `Turns through the library, all of one session, with prompts and answers of one length: of the scripted agent, and of the real codex on a model server on loopback${absent === null ? "" : ` (left out: ${absent})`}. The database is measured after its log was written back; it holds the turn, the decision with every verdict, the transcript, the events and the checkpoints of the provider's file.`,
    };
  },
};

async function measure(provider: string, { quick, progress }: BenchOptions): Promise<Span[]> {
  using scratch = new Scratch();
  const [home, agentHome] = [scratch.path("home"), scratch.path("agent")];
  await using agent = agents[provider]!(agentHome);
  const { settings, env } = agent;
  await agent.beforeTurn();
  const reprise = await openReprise({ home, cwd: scratch.folder, env });
  await reprise.agents.create({ name: "coder", provider, settings });

  const marks = quick ? [10, 20, 30] : [100, 200, 400, 1_000];
  const found: [number, Bytes][] = [[0, bytesOf(home, agentHome)]];
  for (let number = 1; number <= marks.at(-1)!; number += 1) {
    await agent.beforeTurn();
    const { turn, decision } = await reprise.sessions.send({
      key: "bench:storage",
      agent: "coder",
      prompt: `echo line ${String(number).padStart(6, "0")} of an ordinary answer`,
    });
    const expected = number === 1 ? "blank" : "resume";
    if (turn.status !== "done" || decision?.outcome !== expected)
      throw new Error(`turn ${number} is ${turn.status}, ${decision?.outcome}`);
    if (!marks.includes(number)) continue;
    found.push([number, bytesOf(home, agentHome)]);
    progress(`${provider}, ${number} turns`);
  }
  await reprise.close();

  return found.slice(1).map(([until, bytes], index) => {
    const [from, before] = found[index]!;
    const each = (part: keyof Bytes) => (bytes[part] - before[part]) / (until - from);
    return { provider, from, until, database: each("database"), session: each("session"), bytes };
  });
}

function figureOf(spans: readonly Span[]): Figure {
  const [first, last] = [spans[0]!, spans.at(-1)!];
  const growth = last.database / first.database - 1;
  return {
    what: `${first.provider}: bytes per turn of the database, turns ${last.from + 1} to ${last.until} beside the first ${first.until}`,
    measured: `${thousands(last.database)} beside ${thousands(first.database)} (${growth < 0 ? "−" : "+"}${Math.abs(growth * 100).toFixed(1)} %)`,
    goal: "constant",
    met: growth <= tolerance,
  };
}

function bytesOf(home: string, agentHome: string): Bytes {
  const database = new DatabaseSync(`${home}/reprise.db`, { timeout: 5000 });
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return {
    database: sizeOf("reprise.db*", home),
    spools: sizeOf("turns/**", home),
    session: sizeOf("sessions/**", agentHome),
  };
}

function sizeOf(pattern: string, folder: string): number {
  return globSync(pattern, { cwd: folder })
    .map((name) => statSync(`${folder}/${name}`))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}
