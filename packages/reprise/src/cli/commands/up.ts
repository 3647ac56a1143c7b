/** `reprise up`: serves the home, in this terminal or in the background. */

import { resolve } from "node:path";
import { userName } from "@reprise/engine/engine";
import manifest from "../../../package.json" with { type: "json" };
import { defaultPort, serve } from "../../server/lifecycle.ts";
import type { LogLevel } from "../../server/log.ts";
import { LogFile } from "../../server/log-file.ts";
import { type ServiceManager, serviceText } from "../../server/service-unit.ts";
import { homeToken } from "../../server/tokens.ts";
import { startInBackground } from "../background.ts";
import type { Cli, Signal } from "../cli.ts";
import { inert } from "../format/text.ts";
import { pageLink } from "../page-link.ts";
import { programFile } from "../program-file.ts";

interface UpOptions {
  readonly detach?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly publicUrl?: string;
  readonly store?: string;
  readonly logLevel?: LogLevel;
  readonly logFile?: string;
  readonly printService?: ServiceManager;
}

export async function run(cli: Cli, options: UpOptions): Promise<number> {
  if (options.printService) return printService(cli, options, options.printService);
  return options.detach ? upInBackground(cli, options) : upHere(cli, options);
}

async function upHere(cli: Cli, options: UpOptions): Promise<number> {
  const { home, env, cwd, now, out, err } = cli;
  const stopped = Promise.withResolvers<void>();
  let asked = false;
  const release = cli.onSignal((signal) => {
    if (asked) return cli.exit(exitCodes[signal]);
    asked = true;
    stopped.resolve();
  });
  const logFile = options.logFile && new LogFile(resolve(cwd, options.logFile));
  /** Without a log file the server belongs to its terminal, which is gone now. */
  const hungUp = () => (logFile ? logFile.reopen() : stopped.resolve());
  process.on("SIGHUP", hungUp);
  try {
    const serving = await serve({
      ...{ home, env, cwd, now, version: manifest.version, owner: userName(env) },
      host: options.host ?? "127.0.0.1",
      port: options.port ?? null,
      ...(options.publicUrl !== undefined && { publicUrl: options.publicUrl }),
      store: options.store ?? (env.REPRISE_STORE || undefined),
      level: options.logLevel ?? (err.tty ? "warn" : "info"),
      write: (line) => {
        if (logFile) logFile.write(line);
        else cli.stderr.write(cli.err.tty ? inert(line) : line);
      },
    });
    const { record, token, exposes } = serving;
    // Others may read logs, so the token is printed only on a terminal.
    if (cli.json) cli.document({ ...record, home });
    else out.line(out.tty ? pageLink(serving.publicUrl ?? record.url, token) : record.url);
    remarkPort(cli, options, record.url);
    if (exposes) cli.remark(exposes);
    if (err.tty) cli.remark(`Serving ${home}. Press Ctrl-C to stop; its agents keep working.`);
    await stopped.promise;
    // Work that is still in flight would keep the process alive.
    if (!(await serving.stop())) cli.exit(0);
    return 0;
  } finally {
    process.off("SIGHUP", hungUp);
    release();
  }
}

async function upInBackground(cli: Cli, options: UpOptions): Promise<number> {
  const record = await startInBackground(cli, flagsOf(options), options.port);
  const token = await homeToken(cli.home);
  if (cli.json) cli.document({ ...record, home: cli.home, token });
  else cli.out.line(pageLink(record.publicUrl ?? record.url, token));
  remarkPort(cli, options, record.url);
  cli.remark(`Serving ${cli.home} in the background. Stop it with: reprise down`);
  return 0;
}

function printService(cli: Cli, options: UpOptions, manager: ServiceManager): number {
  const { home, cwd, env } = cli;
  const command = [process.execPath, programFile(), "up", "--home", home, ...flagsOf(options)];
  cli.out.write(serviceText(manager, { command, home, folder: cwd, path: env.PATH ?? "" }));
  return 0;
}

function flagsOf({ port, host, publicUrl, store, logLevel, logFile }: UpOptions): string[] {
  return [
    ...(port === undefined ? [] : ["--port", String(port)]),
    ...(host === undefined ? [] : ["--host", host]),
    ...(publicUrl === undefined ? [] : ["--public-url", publicUrl]),
    ...(store === undefined ? [] : ["--store", store]),
    ...(logLevel === undefined ? [] : ["--log-level", logLevel]),
    ...(logFile === undefined ? [] : ["--log-file", logFile]),
  ];
}

/** Says why the port is not the default one; a port given with `--port` is used or fails. */
function remarkPort(cli: Cli, { port }: UpOptions, url: string): void {
  const bound = Number(new URL(url).port);
  if (port !== undefined || bound === defaultPort) return;
  cli.remark(`Port ${defaultPort} is in use, so the server listens on port ${bound}.`);
}

const exitCodes: Record<Signal, number> = { SIGINT: 130, SIGTERM: 143 };
