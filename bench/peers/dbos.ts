/** DBOS on PostgreSQL: a step of a workflow is a row of its outputs. */

import { DBOS } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import {
  type Chains,
  type Counted,
  chainLength,
  type Opening,
  serve,
  timeChains,
} from "../runs/contender.ts";
import { type Postgres, startPostgres } from "./postgres.ts";

let postgres: Postgres;

const chain = DBOS.registerWorkflow(
  async (start: number) => {
    let value = start;
    for (let step = 1; step <= chainLength; step += 1) {
      const before = value;
      value = await DBOS.runStep(async () => before + 1, { name: `step${step}` });
    }
    return value;
  },
  { name: "chain" },
);

serve({
  async open({ folder, synchronisation }: Opening) {
    const commit = synchronisation === "full" ? "on" : "off";
    postgres = await startPostgres(folder, [`synchronous_commit=${commit}`]);
    DBOS.setConfig({ name: "bench", systemDatabaseUrl: postgres.url, logLevel: "error" });
    await DBOS.launch();
  },

  chains: (chains: Chains) =>
    timeChains(chains, (id) => DBOS.withNextWorkflowID(id, () => chain(0))),

  async count(): Promise<Counted> {
    const client = new pg.Client(postgres.url);
    await client.connect();
    const { rows } = await client.query(
      `SELECT count(DISTINCT workflow_uuid)::int AS chains, count(*)::int AS rows,
         count(DISTINCT (workflow_uuid, function_name))::int AS steps
       FROM dbos.operation_outputs`,
    );
    await client.end();
    return rows[0];
  },

  async close() {
    await DBOS.shutdown();
    await postgres.stop();
  },
});
