/** What a scan takes that keeps the sessions which Reprise did not start. */

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Reprise, ScanReport } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import { type Bench, type BenchOptions, milliseconds, thousands } from "./bench.ts";
import { summarize, timed } from "./measure.ts";
import { Scratch } from "./scratch.ts";

/** A recorded session of claude with one turn; its lines are the same in every session apart from the id. */
const recorded = path.join(
  import.meta.dirname,
  "../packages/providers/src/claude/fixtures/session.jsonl",
);
const projects = 50;
const goal = 2000;
/** How many sessions get another line between two scans. */
const grown = 10;

interface Scan {
  readonly what: string;
  readonly took: number;
  /** Milliseconds of processor time. */
  readonly processor: number;
  readonly report: ScanReport;
}

export const protect: Bench = {
  name: "protect",
  about: "What a scan takes that keeps the sessions which Reprise did not start.",

  async run(options) {
    const count = options.quick ? 50 : 1000;
    const { scans, size, database } = await measure(count, options);
    const first = scans.filter(({ what }) => what === "first");
    const again = scans.filter(({ what }) => what === "nothing changed");
    const median = (of: readonly Scan[]) => summarize(of.map(({ took }) => took)).median;
    return {
      figures: [
        {
          what: `first scan of ${thousands(count)} sessions`,
          measured: milliseconds(median(first)),
          goal: `< ${goal} ms`,
          met: median(first) < goal,
        },
        {
          what: "bytes read by a scan after which nothing changed",
          measured: thousands(again.reduce((sum, { report }) => sum + report.bytesRead, 0)),
          goal: "0",
          met: again.every(({ report }) => report.bytesRead === 0),
        },
      ],
      columns: ["scan", "time", "processor time", "files read", "bytes read"],
      rows: [...new Set(scans.map(({ what }) => what))].map((what) => {
        const of = scans.filter((scan) => scan.what === what);
        const { report } = of[0]!;
        return [
          what,
          milliseconds(median(of)),
          milliseconds(summarize(of.map(({ processor }) => processor)).median),
          thousands(report.filesRead),
          thousands(report.bytesRead),
        ];
      }),
      method: `${thousands(count)} sessions of claude with ${thousands(size)} bytes each, copies of a recorded one under other ids, in ${projects} projects, scanned through the library with full synchronisation; the page cache is warm. Times are medians of ${first.length} homes. Between two scans ${grown} sessions get one more line. The copies take ${thousands(database)} bytes in the database.`,
    };
  },
};

async function measure(count: number, { quick, progress }: BenchOptions) {
  const scans: Scan[] = [];
  const text = readFileSync(recorded, "utf8");
  const [, recordedId = ""] = /"sessionId":"([^"]+)"/.exec(text) ?? [];
  let database = 0;
  for (let round = 0; round < (quick ? 1 : 5); round += 1) {
    progress(`home ${round + 1}`);
    using scratch = new Scratch();
    const user = scratch.folderOf("user");
    const files = Array.from({ length: count }, (_, number) => {
      const folder = path.join(user, ".claude", "projects", `-work-${number % projects}`);
      mkdirSync(folder, { recursive: true });
      const id = crypto.randomUUID();
      const file = path.join(folder, `${id}.jsonl`);
      writeFileSync(file, text.replaceAll(recordedId, id));
      return file;
    });
    const { CLAUDE_CONFIG_DIR: _, ...env } = process.env;
    const reprise = await openReprise({
      home: scratch.path("home"),
      cwd: user,
      env: { ...env, HOME: user },
    });
    try {
      scans.push(await scan(reprise, "first"));
      scans.push(await scan(reprise, "nothing changed"));
      for (const file of files.slice(0, grown)) appendFileSync(file, '{"type":"summary"}\n');
      scans.push(await scan(reprise, `${grown} sessions changed`));
      const { homes } = await reprise.protect.status();
      database = homes.reduce((sum, { bytes }) => sum + bytes, 0);
    } finally {
      await reprise.close();
    }
  }
  return { scans, size: Buffer.byteLength(text), database };
}

async function scan({ protect: api }: Reprise, what: string): Promise<Scan> {
  let report: ScanReport | undefined;
  const before = process.cpuUsage();
  const took = await timed(async () => {
    report = await api.scan();
  });
  const { user, system } = process.cpuUsage(before);
  return { what, took, processor: (user + system) / 1000, report: report! };
}
