/** Starts the server of a home in the background, and waits until it answers. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { TerminalError, TimedOutError } from "@reprise/core/errors/errors";
import { isShared, openHome } from "@reprise/engine/home";
import { alreadyServed } from "../server/already-served.ts";
import { lockHome } from "../server/home-lock.ts";
import { findServer, type ServerRecord } from "../server/server-record.ts";
import type { Cli } from "./cli.ts";
import { programFile } from "./program-file.ts";

const patience = 60_000;
const pause = 50;

/**
 * `options` as `reprise up` takes them. A home on PostgreSQL may have further servers, each with a port.
 *
 * @throws BusyError `already-served`
 */
export async function startInBackground(
  cli: Pick<Cli, "home" | "env" | "cwd" | "remark">,
  options: readonly string[],
  port?: number,
): Promise<ServerRecord> {
  const { path: home, repaired } = await openHome(cli.home);
  if (repaired !== null) cli.remark(repaired);
  const found = await findServer(home);
  const isFirst = found.state === "none" || found.state === "gone";
  if (!isFirst && (!port || !isShared(home))) throw alreadyServed(home, found);
  // Each server has its own log.
  const name = isFirst ? "server" : `server-${port}`;
  // The log contains only JSON lines; all other output of the server goes to a separate file.
  const file = join(home, `${name}.err`);
  const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
  const errors = openSync(file, O_CREAT | O_NOFOLLOW | O_TRUNC | O_WRONLY, 0o600);
  const flags = ["--home", home, "--log-file", join(home, `${name}.log`), ...options];
  const child = spawn(process.execPath, [programFile(), "up", ...flags], {
    cwd: cli.cwd,
    // The server must not belong to a turn: cancelling the turn that started it would end it.
    env: { ...cli.env, REPRISE_TURN: undefined },
    detached: true,
    stdio: ["ignore", "ignore", errors],
  });
  closeSync(errors);
  child.unref();
  const ended = once(child, "exit").then(() => true);
  const until = performance.now() + patience;
  for (;;) {
    const now = await findServer(home, `${name}.json`);
    if (now.state === "answers" && now.record.process.pid === child.pid) return now.record;
    if (await Promise.race([ended, delay(pause, false)]))
      throw isFirst ? await whyNot(home, child, file) : didNotStart(child, file);
    if (performance.now() > until) {
      child.kill();
      throw new TimedOutError(
        "no-answer",
        `The server did not answer within ${patience / 1000} s and was stopped (process ${child.pid}).`,
        `See ${file} for the reason, and try again.`,
      );
    }
  }
}

/** Another process may have started a server at the same time; then the error says where that one is. */
async function whyNot(home: string, child: ChildProcess, file: string): Promise<Error> {
  const until = performance.now() + patience;
  for (let unlock = lockHome(home); performance.now() < until; unlock = lockHome(home)) {
    if (unlock) {
      unlock();
      break;
    }
    const found = await findServer(home);
    if (found.state === "answers") return alreadyServed(home, found);
    await delay(pause);
  }
  return didNotStart(child, file);
}

function didNotStart({ exitCode, signalCode }: ChildProcess, file: string): TerminalError {
  const last = readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "";
  return new TerminalError(
    "not-started",
    `The server did not start (${signalCode ?? `exit code ${exitCode}`}): ${last.replace(/^reprise: /, "")}`,
    `See ${file} for details.`,
  );
}
