/** `reprise up`: serves the home, in this terminal until it is stopped, or in the background. */

import manifest from "../../../package.json" with { type: "json" };
import { serve } from "../../server/lifecycle.ts";
import type { LogLevel } from "../../server/log.ts";
import { type ServiceManager, serviceText } from "../../server/service-unit.ts";
import { homeToken } from "../../server/tokens.ts";
import { startInBackground } from "../background.ts";
import type { Cli } from "../cli.ts";
import { inert } from "../format/text.ts";
import { programFile } from "../program-file.ts";
import type { Signal } from "../surroundings.ts";
import { userName } from "../user-name.ts";

interface UpOptions {
  readonly detach?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly publicUrl?: string;
  readonly logLevel?: LogLevel;
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
  try {
    const serving = await serve({
      ...{ home, env, cwd, now, version: manifest.version, owner: userName(env) },
      host: options.host ?? "127.0.0.1",
      port: options.port ?? null,
      ...(options.publicUrl !== undefined && { publicUrl: options.publicUrl }),
      level: options.logLevel ?? (err.tty ? "warn" : "info"),
      write: (line) => cli.stderr.write(cli.err.tty ? inert(line) : line),
    });
    const { record, token, exposes } = serving;
    // A log is read by others and kept: only a terminal is shown the token.
    if (cli.json) cli.document({ ...record, home });
    else out.line(out.tty ? pageUrl(serving.publicUrl ?? record.url, token) : record.url);
    if (exposes) cli.remark(exposes);
    if (err.tty) cli.remark(`Serves ${home}; Ctrl-C stops it, and its agents work on.`);
    await stopped.promise;
    // Work that does not let go in time would keep the process alive.
    if (!(await serving.stop())) cli.exit(0);
    return 0;
  } finally {
    release();
  }
}

async function upInBackground(cli: Cli, options: UpOptions): Promise<number> {
  const record = await startInBackground(cli, flagsOf(options));
  const token = await homeToken(cli.home);
  if (cli.json) cli.document({ ...record, home: cli.home, token });
  else cli.out.line(pageUrl(record.url, token));
  cli.remark(`Serves ${cli.home} in the background; stop it with: reprise down`);
  return 0;
}

function printService(cli: Cli, options: UpOptions, manager: ServiceManager): number {
  const { home, cwd, env } = cli;
  const command = [process.execPath, programFile(), "up", "--home", home, ...flagsOf(options)];
  cli.out.write(serviceText(manager, { command, home, folder: cwd, path: env.PATH ?? "" }));
  return 0;
}

function flagsOf({ port, host, publicUrl, logLevel }: UpOptions): string[] {
  return [
    ...(port === undefined ? [] : ["--port", String(port)]),
    ...(host === undefined ? [] : ["--host", host]),
    ...(publicUrl === undefined ? [] : ["--public-url", publicUrl]),
    ...(logLevel === undefined ? [] : ["--log-level", logLevel]),
  ];
}

function pageUrl(url: string, token: string): string {
  return `${url}/?token=${token}`;
}

const exitCodes: Record<Signal, number> = { SIGINT: 130, SIGTERM: 143 };
