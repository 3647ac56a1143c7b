/**
 * `npm run bench [-- turn|decide|storage|start|providers|runs|postgres|server|large-session|protect …] [--quick]`: measures and prints; a whole run
 * is also kept, in `bench/results` or the bench's own page, a quick one only shows that the benches work.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Bench } from "../bench/bench.ts";
import { decideBench } from "../bench/decide.ts";
import { largeSession } from "../bench/large-session.ts";
import { machine, versions } from "../bench/machine.ts";
import { postgres } from "../bench/postgres.ts";
import { protect } from "../bench/protect.ts";
import { providers } from "../bench/providers.ts";
import { page } from "../bench/report.ts";
import { runs } from "../bench/runs.ts";
import { server } from "../bench/server.ts";
import { start } from "../bench/start.ts";
import { storage } from "../bench/storage.ts";
import { turn } from "../bench/turn.ts";
import { root } from "./files.ts";

const benches: readonly Bench[] = [
  turn,
  decideBench,
  storage,
  start,
  providers,
  runs,
  postgres,
  server,
  largeSession,
  protect,
];
const names = benches.map(({ name }) => name);

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { quick: { type: "boolean", default: false } },
  });
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no bench ${unknown.join(", ")}; there are ${names.join(", ")}.`);
    return 2;
  }
  const chosen = benches.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  for (const bench of chosen) await measure(bench, values.quick);
  return 0;
}

async function measure(bench: Bench, quick: boolean): Promise<void> {
  const setting = {
    machine: machine(),
    versions: versions(),
    date: new Date().toISOString().slice(0, 10),
    command: `npm run bench -- ${bench.name}${quick ? " --quick" : ""}`,
  };
  const progress = (text: string) => console.error(`${bench.name}: ${text} …`);
  const text = page(bench, await bench.run({ quick, progress }), setting);
  console.log(`\n${text}\n`);
  if (quick) return;
  const file = path.join(root, bench.page?.file ?? `bench/results/${bench.name}.md`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${text}\n`);
}
