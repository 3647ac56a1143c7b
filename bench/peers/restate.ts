/** Restate: one server, and a service of ours whose runs are steps in its journal. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http2";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createEndpointHandler, workflow } from "@restatedev/restate-sdk";
import {
  type Chains,
  type Counted,
  chainLength,
  type Opening,
  serve,
  timeChains,
} from "../runs/contender.ts";

// The network namespace is this process's own, so these ports are free.
const ports = { ingress: 8080, admin: 9070, node: 5122, service: 9080 };
const ingress = `http://127.0.0.1:${ports.ingress}`;
const admin = `http://127.0.0.1:${ports.admin}`;

let server: ChildProcess;

const chain = workflow({
  name: "chain",
  handlers: {
    run: async (context, start: number) => {
      let value = start;
      for (let step = 1; step <= chainLength; step += 1) {
        const before = value;
        value = await context.run(`step${step}`, () => before + 1);
      }
      return value;
    },
  },
});
const handler = createEndpointHandler({ services: [chain] });
const service = createServer(handler).listen(ports.service, "127.0.0.1");

serve({
  async open({ folder, synchronisation }: Opening) {
    const binary = `@restatedev/restate-server-${platform()}-${arch()}/bin/restate-server`;
    server = spawn(createRequire(import.meta.url).resolve(binary), [], {
      cwd: folder,
      env: {
        ...process.env,
        RESTATE_BASE_DIR: join(folder, "restate"),
        RESTATE_NODE_NAME: "bench",
        RESTATE_DISABLE_TELEMETRY: "true",
        RESTATE_LOG_FILTER: "error",
        RESTATE_BIND_ADDRESS: `127.0.0.1:${ports.node}`,
        RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${ports.node}`,
        RESTATE_LOG_SERVER__ROCKSDB_DISABLE_WAL_FSYNC: String(synchronisation === "normal"),
      },
      stdio: "ignore",
    });
    process.once("exit", () => server.kill("SIGKILL"));
    await Promise.race([healthy(), ended(server)]);
    await post(`${admin}/deployments`, { uri: `http://127.0.0.1:${ports.service}`, force: true });
  },

  chains: (chains: Chains) =>
    timeChains(chains, (id) => post(`${ingress}/chain/${id}/run`, 0) as Promise<number>),

  /** The journal is kept for a day after a workflow's end. */
  async count(): Promise<Counted> {
    const query = `SELECT count(DISTINCT id) AS chains, count(*) AS rows,
        count(DISTINCT id || ' ' || name) AS steps
      FROM sys_journal WHERE entry_type = 'Command: Run'`;
    const ask = () => post(`${admin}/query`, { query }) as Promise<{ rows: Counted[] }>;
    // A server that was just started knows its partitions a little later.
    for (let left = 100; ; left -= 1) {
      const answer = await (left > 0 ? ask().catch(() => null) : ask());
      if (answer) return answer.rows[0]!;
      await setTimeout(100);
    }
  },

  async close() {
    server.kill("SIGTERM");
    await once(server, "exit");
    service.close();
  },
});

async function healthy(): Promise<void> {
  for (const url of [`${admin}/health`, `${ingress}/restate/health`])
    while (
      !(await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await setTimeout(50);
}

async function ended(process: ChildProcess): Promise<never> {
  const [code] = await once(process, "exit");
  throw new Error(`restate-server ended with ${code}`);
}

async function post(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
