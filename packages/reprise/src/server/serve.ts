/**
 * The life of a server: it takes the home, goes on with what it finds there, listens, and tells where it
 * is. When it stops, it lets go of every run and turn; their agents work on, and the next one adopts them.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Report } from "@reprise/engine/engine";
import { openHome } from "@reprise/engine/home";
import { type OpenOptions, openEngine } from "@reprise/engine/open-reprise";
import { ownIdentity } from "@reprise/engine/owner";
import { alreadyServed } from "./already-served.ts";
import { createApp } from "./app.ts";
import { lockHome } from "./home-lock.ts";
import { ownHosts } from "./hosts.ts";
import { createLog, type Log, type LogLevel } from "./log.ts";
import { pageFolder } from "./page-folder.ts";
import { type Listening, startServer } from "./server.ts";
import {
  findServer,
  homeId,
  removeRecord,
  type ServerRecord,
  writeRecord,
} from "./server-record.ts";
import { startServing } from "./serving.ts";
import { homeToken } from "./tokens.ts";
import { UnderWay } from "./under-way.ts";

export const defaultPort = 7777;

/** How long a server that stops waits for its work to be let go, in milliseconds. */
const stopDeadline = 10_000;

export interface ServeOptions extends Pick<OpenOptions, "home" | "env" | "cwd" | "wrap"> {
  readonly host: string;
  /** Null: the usual one, or any that is free. */
  readonly port: number | null;
  readonly version: string;
  /** Under which a proxy shows the server to others; else as the settings say. */
  readonly publicUrl?: string;
  /** Name of whoever has the home's own token. */
  readonly owner: string;
  /** Folder of the page; the one that was built with the program when it is not given. */
  readonly page?: string;
  /** How long it waits for its work to be let go when it stops, in milliseconds; 10 s unless given. */
  readonly stopDeadline?: number;
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  readonly now: () => number;
}

export interface Serving {
  readonly record: ServerRecord;
  readonly token: string;
  readonly publicUrl: string | null;
  /** What others can do who reach it; null when nobody else can. */
  readonly exposes: string | null;
  /**
   * Lets go of everything, and of the home. False when that took longer than the deadline: the process must
   * be ended then; agents continue, and the next server takes their answers.
   */
  stop(): Promise<boolean>;
}

/** @throws BusyError `already-served` when another server has the home. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { host, now, version } = options;
  const { path: home, repaired } = await openHome(options.home);
  const unlock = lockHome(home);
  if (unlock === null) throw alreadyServed(home, await findServer(home));
  const undo: (() => unknown)[] = [unlock];
  const undoAll = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const token = await homeToken(home);
    let log: Log | null = null;
    const report: Report = (message, details) => log?.("error", message, details);
    const { engine, reprise } = await openEngine({ ...options, report, within: null });
    undo.push(() => reprise.close());
    log = createLog({
      level: options.level,
      write: options.write,
      secrets: [...engine.secrets, token],
      now,
    });
    if (repaired !== null) log("warn", repaired);
    const work = new UnderWay();
    const startedAt = now();
    const app = createApp({
      reprise,
      work,
      store: engine.store,
      token,
      owner: options.owner,
      hosts: ownHosts(host),
      about: { version, home: await homeId(home), startedAt },
      page: options.page ?? pageFolder(),
      publicUrl: options.publicUrl ?? engine.settings.publicUrl,
      rateLimit: engine.settings.rateLimit,
      log,
      now,
    });
    const listening = await listen(app, host, options.port);
    undo.push(() => listening.close());
    const record = { process: ownIdentity(), url: listening.url, startedAt, version };
    await writeRecord(home, record);
    undo.push(() => removeRecord(home));
    const serving = startServing({ engine, reprise, work, log });
    undo.push(async () => {
      await work.leave();
      await serving;
    });
    log("info", "serving", { url: record.url, home, pid: record.process.pid, version });
    return {
      record,
      token,
      publicUrl: options.publicUrl ?? engine.settings.publicUrl,
      exposes: listening.exposes,
      async stop() {
        log("info", "stopping", { work: work.size });
        const giveUp = new AbortController();
        const late = delay(options.stopDeadline ?? stopDeadline, false, {
          signal: giveUp.signal,
        }).catch(() => false);
        const inTime = await Promise.race([undoAll().then(() => true), late]);
        giveUp.abort();
        if (inTime) log("info", "stopped");
        else {
          log("warn", "stopped without waiting for all work", { work: work.size });
          await removeRecord(home);
        }
        return inTime;
      },
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
}

/** Several homes may be served on one machine: only a port that somebody asked for must be that one. */
async function listen(
  app: Parameters<typeof startServer>[0]["app"],
  host: string,
  port: number | null,
): Promise<Listening> {
  const ask = (wanted: number) => startServer({ app, host, port: wanted, guarded: true });
  if (port !== null) return ask(port);
  return ask(defaultPort).catch((error) => {
    if (error?.code === "port-in-use") return ask(0);
    throw error;
  });
}
