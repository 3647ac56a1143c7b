/** What a home on PostgreSQL costs, beside one on SQLite: turns, steps, parked gates, and recovery. */

import { Cluster } from "../test/postgres/cluster.ts";
import type { Bench, BenchOptions, Figure, Section } from "./bench.ts";
import { DistantServer } from "./postgres/distant-server.ts";
import { measureStoreSteps } from "./postgres/steps.ts";
import { measureGates } from "./runs/gates.ts";
import { measureRecovery } from "./runs/recovery.ts";
import { postgresOn, sqlite } from "./stores.ts";
import { measureTurns, sqliteHome } from "./turn.ts";

/** Milliseconds that a trip to the server takes more than on this machine, for turns. */
const distance = 0.5;
const turnGoal = 20;

export const postgres: Bench = {
  name: "postgres",
  about:
    "What turns and runs of a home on PostgreSQL take, beside those of a home on SQLite, measured side by side in one run of the bench.",

  async run(options) {
    options.progress("start PostgreSQL");
    const cluster = await Cluster.start({ asItComes: true });
    try {
      const stores = [sqlite, postgresOn(cluster)];
      const parts = [
        await measureBothTurns(options, cluster),
        await measureStoreSteps(options, stores),
        await measureGates(options, stores),
        await measureRecovery(options, stores),
      ];
      return {
        figures: parts.flatMap(({ figures }) => figures),
        sections: parts.flatMap(({ sections }) => sections),
      };
    } finally {
      await cluster.remove();
    }
  },
};

/** The server of the turns is as on another machine; for all else it is on this one. */
async function measureBothTurns(
  options: BenchOptions,
  cluster: Cluster,
): Promise<{ figures: Figure[]; sections: Section[] }> {
  const direct = await cluster.createDatabase();
  await using distant = await DistantServer.start(direct, distance);
  const database = distant.url(direct);
  const added = `${distant.added.toFixed(2)} ms`;
  const { figures, ...table } = await measureTurns(options, [
    sqliteHome,
    { name: `PostgreSQL ${distance} ms away`, database, goal: turnGoal },
  ]);
  const method = `${table.method} Between Reprise and PostgreSQL is a proxy in a thread of its own, which made \`SELECT 1\` take ${added} longer, difference of the medians.`;
  return { figures, sections: [{ title: "Turns", ...table, method }] };
}
