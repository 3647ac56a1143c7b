/** Bytes that a turn adds, over many turns of one session. */

import { globSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openReprise } from "@reprise/engine/open-reprise";
import { type Bench, thousands } from "./bench.ts";
import { Scratch } from "./scratch.ts";

/** How much more the last turns may take than the first ones: page sizes do not divide evenly. */
const tolerance = 0.1;

interface Bytes {
  readonly database: number;
  readonly spools: number;
  readonly session: number;
}

export const storage: Bench = {
  name: "storage",
  about: "Bytes that a turn adds, over many turns of one session.",

  async run({ quick, progress }) {
    using scratch = new Scratch();
    const [home, agentHome] = [scratch.path("home"), scratch.path("agent")];
    const reprise = await openReprise({ home, cwd: scratch.folder });
    const settings = { home: agentHome };
    await reprise.agents.create({ name: "coder", provider: "scripted", settings });

    const marks = quick ? [20, 40, 60] : [100, 200, 400, 1_000];
    const found = new Map<number, Bytes>([[0, bytesOf(home, agentHome)]]);
    for (let number = 1; number <= marks.at(-1)!; number += 1) {
      const prompt = `echo line ${String(number).padStart(6, "0")} of an ordinary answer`;
      const { turn } = await reprise.sessions.send({
        key: "bench:storage",
        agent: "coder",
        prompt,
      });
      if (turn.status !== "done") throw new Error(`turn ${number} is ${turn.status}`);
      if (!marks.includes(number)) continue;
      found.set(number, bytesOf(home, agentHome));
      progress(`${number} turns`);
    }
    await reprise.close();

    const spans = [...found].slice(1).map(([until, bytes], index) => {
      const [from, before] = [...found][index]!;
      const each = (part: keyof Bytes) => (bytes[part] - before[part]) / (until - from);
      return { from, until, database: each("database"), session: each("session"), bytes };
    });
    const [first, last] = [spans[0]!, spans.at(-1)!];
    const growth = last.database / first.database - 1;
    return {
      figures: [
        {
          what: `bytes per turn of the database, turns ${last.from + 1} to ${last.until} beside the first ${first.until}`,
          measured: `${thousands(last.database)} beside ${thousands(first.database)} (${growth < 0 ? "−" : "+"}${Math.abs(growth * 100).toFixed(1)} %)`,
          goal: "constant",
          met: growth <= tolerance,
        },
      ],
      columns: [
        "turns",
        "database, bytes per turn",
        "provider's file, bytes per turn",
        "database in all",
        "spools in all",
      ],
      rows: spans.map(({ from, until, database, session, bytes }) => [
        `${from + 1} to ${until}`,
        ...[database, session, bytes.database, bytes.spools].map(thousands),
      ]),
      method:
        "Turns of the scripted agent through the library, all of one session, with prompts and answers of one length. The database is measured after its log was written back; it holds the turn, the decision with every verdict, the transcript, the events and the checkpoint of the provider's file.",
    };
  },
};

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
