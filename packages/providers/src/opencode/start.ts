/**
 * Runs opencode on a database of the session's own. Started with an order, opencode's program and its arguments. It stays
 * beside opencode, since the id of a new session, after which its database is named, is known only afterwards.
 */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { constants, homedir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { databaseOf, newName, ownName } from "./session-database.ts";
import { takeImage } from "./session-image.ts";
import { limitedShell } from "./shell.ts";

export interface OpencodeOrder {
  /** The session that is continued or forked. */
  readonly session: string | null;
  readonly fork: boolean;
  /** Where it works. */
  readonly folder: string;
  /** Opencode's data folder; null for that of the environment. */
  readonly place: string | null;
  /** The only commands that opencode's shell may run, and the folder for the file with that shell; null for any. */
  readonly shell: { readonly commands: readonly string[]; readonly folder: string } | null;
}

const [text = "", program = "", ...args] = process.argv.slice(2);
const order = JSON.parse(text) as OpencodeOrder;
const place = order.place ?? join(dataFolder(), "opencode");
mkdirSync(join(place, dirname(ownName(""))), { recursive: true, mode: 0o700 });
const database = await prepared();
if (database === null) {
  console.error("Error: Session not found");
  process.exitCode = 1;
} else {
  if (order.session !== null) bind(database, order.session);
  process.exitCode = await run(database);
  settle(database);
}

function dataFolder(): string {
  return process.env.XDG_DATA_HOME || join(process.env.HOME || homedir(), ".local/share");
}

/** The database for this launch; null when there is none with the session. */
async function prepared(): Promise<string | null> {
  const { session: id, fork } = order;
  const fresh = join(place, newName(Date.now(), process.pid));
  if (id === null) return fresh;
  const found = await databaseOf({ id, place });
  if (found === null) return null;
  const own = join(place, ownName(id));
  if (!fork && found === own) return own;
  const image = takeImage(found, id);
  if (image === null) return null;
  // Neither the source of a fork nor a session of a person's own is written to.
  const target = fork ? fresh : own;
  const whole = `${target}.${process.pid}`;
  writeFileSync(whole, image.bytes, { mode: 0o600 });
  renameSync(whole, target);
  if (!fork && found !== own && dirname(found) === dirname(own)) remove(found);
  return target;
}

/** Opencode would continue a session of another folder, and never answer. */
function bind(file: string, id: string): void {
  using opened = new DatabaseSync(file, { timeout: 1000 });
  const folder = process.cwd();
  opened
    .prepare("UPDATE session SET directory = ?, path = ? WHERE id = ? AND directory <> ?")
    .run(folder, folder.replace(/^\/+/, ""), id, folder);
}

/** Its exit code, or 128 and the number of the signal that ended it. */
function run(file: string): Promise<number> {
  const { OPENCODE_CONFIG_CONTENT = "{}" } = process.env;
  const config = JSON.parse(OPENCODE_CONFIG_CONTENT);
  const shell = order.shell && { shell: written(order.shell) };
  const child = spawn(program, args, {
    stdio: "inherit",
    env: {
      ...process.env,
      OPENCODE_DB: file,
      OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...config, ...shell }),
    },
  });
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  // A terminal sends it to opencode as well.
  process.on("SIGINT", () => {});
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(error.message);
      resolve(127);
    });
    child.once("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
  });
}

/** One file for each list of commands, so that launches beside each other do not share one that changes. */
function written({ commands, folder }: NonNullable<OpencodeOrder["shell"]>): string {
  const script = limitedShell(commands);
  const digest = createHash("sha256").update(script).digest("hex").slice(0, 16);
  const file = join(folder, `opencode-shell-${digest}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, script, { mode: 0o700 });
  renameSync(whole, file);
  return file;
}

/** Names a new database after its session, and leaves one file of it. If anything is unclear, it changes nothing. */
function settle(file: string): void {
  try {
    const id = begun(file);
    if (id === null) remove(file);
    else if (id !== undefined && file !== join(place, ownName(id)))
      renameSync(file, join(place, ownName(id)));
  } catch {
    // The session is found by its content, too.
  }
}

/** The session that this launch was for; null when there is none, undefined when another program is writing. */
function begun(file: string): string | null | undefined {
  if (!existsSync(file)) return undefined;
  using opened = new DatabaseSync(file, { timeout: 1000 });
  const sql = "SELECT id FROM session WHERE parent_id IS NULL ORDER BY time_created";
  const ids = opened
    .prepare(sql)
    .all()
    .map(({ id }) => String(id));
  const { busy } = { ...opened.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() };
  if (busy !== 0) return undefined;
  if (order.session === null || order.fork) {
    const [id, ...others] = ids.filter((each) => each !== order.session);
    return others.length > 0 ? undefined : (id ?? null);
  }
  return order.session;
}

function remove(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
}
