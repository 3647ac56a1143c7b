/**
 * The life of a server: it locks the home, continues what it finds there, listens, and records its address.
 * When it stops, it releases every run and turn; their agents keep working, and the next server adopts them.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Report } from "@reprise/engine/engine";
import { isShared, openHome } from "@reprise/engine/home";
import { ownIdentity } from "@reprise/engine/hosts";
import { type OpenOptions, openEngine } from "@reprise/engine/open-reprise";
import { alreadyServed } from "./already-served.ts";
import { createApp } from "./app.ts";
import { runBackgroundLoops } from "./background-loops.ts";
import { ownHosts } from "./hosts.ts";
import { InFlight } from "./in-flight.ts";
import { type Listening, type ListenOptions, listen } from "./listen.ts";
import { createLog, type Log, type LogLevel } from "./log.ts";
import { pageFolder } from "./page-folder.ts";
import { ServerPlace } from "./server-place.ts";
import { findServer, homeId, type ServerRecord } from "./server-record.ts";
import { homeToken } from "./tokens.ts";

export const defaultPort = 7777;

/** How long a server that stops waits for its work to be released, in milliseconds. */
const stopDeadline = 10_000;

export interface ServeOptions extends Pick<OpenOptions, "home" | "store" | "env" | "cwd" | "wrap"> {
  readonly host: string;
  /** Null: the default port, or any free one. */
  readonly port: number | null;
  readonly version: string;
  /** Address of the proxy in front of the server; as in the settings unless given. */
  readonly publicUrl?: string;
  /** Name of the user with the home's own token. */
  readonly owner: string;
  /** Folder of the page; the one that was built with the program unless given. */
  readonly page?: string;
  /** How long to wait for its work to be released when it stops, in milliseconds; 10 s unless given. */
  readonly stopDeadline?: number;
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  readonly now: () => number;
}

export interface Serving {
  readonly record: ServerRecord;
  readonly token: string;
  readonly publicUrl: string | null;
  /** What others who reach the server can do; null when it listens on loopback only. */
  readonly exposes: string | null;
  /**
   * Releases all work and the home. False when that took longer than the deadline: the process must exit
   * then; agents continue, and the next server takes their answers.
   */
  stop(): Promise<boolean>;
}

/**
 * A home on PostgreSQL can have several servers; each one after the first is started with a port.
 *
 * @throws BusyError `already-served` when another server has the home.
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { host, now, version } = options;
  const { path: home, repaired } = await openHome(options.home);
  const place = new ServerPlace(home);
  const mayShare = options.port !== null && isShared(home);
  if (!place.take() && !mayShare) throw alreadyServed(home, await findServer(home));
  const undo: (() => unknown)[] = [() => place.leave()];
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
    const work = new InFlight();
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
      now: engine.now,
    });
    const listening = await listenOn(app, host, options.port);
    undo.push(() => listening.close());
    const publicUrl = options.publicUrl ?? engine.settings.publicUrl;
    const record = {
      ...{ process: ownIdentity(), url: listening.url, startedAt, version },
      ...(publicUrl !== null && { publicUrl }),
    };
    await place.record(record);
    undo.push(() => place.withdraw());
    const loops = runBackgroundLoops({ engine, reprise, work, log });
    undo.push(async () => {
      await work.stop();
      await loops;
    });
    log("info", "serving", { url: record.url, home, pid: record.process.pid, version });
    return {
      record,
      token,
      publicUrl,
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
          await place.withdraw();
        }
        return inTime;
      },
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
}

/** Several homes may have a server on one machine, so any free port is used unless one was named. */
async function listenOn(
  app: ListenOptions["app"],
  host: string,
  port: number | null,
): Promise<Listening> {
  const ask = (wanted: number) => listen({ app, host, port: wanted, guarded: true });
  if (port !== null) return ask(port);
  return ask(defaultPort).catch((error) => {
    if (error?.code === "port-in-use") return ask(0);
    throw error;
  });
}
