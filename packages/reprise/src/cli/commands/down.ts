/** `reprise down`: stops the server of the home, and returns when it has stopped. */

import { setTimeout as delay } from "node:timers/promises";
import { DeniedError, TimedOutError, UsageError } from "@reprise/core/errors/errors";
import { canSee, isAlive } from "@reprise/engine/hosts";
import { findServer, type ServerRecord } from "../../server/server-record.ts";
import type { Cli } from "../cli.ts";

const patience = 120_000;
const pause = 50;

export async function run(cli: Cli): Promise<number> {
  const found = await findServer(cli.home);
  if (found.state === "none" || found.state === "gone") {
    if (cli.json) cli.document({ stopped: null });
    cli.remark(`No server runs for ${cli.home}.`);
    return 0;
  }
  await stop(found.record);
  if (cli.json) cli.document({ stopped: found.record });
  else cli.out.line(`Stopped the server at ${found.record.url}.`);
  cli.remark("Running agents continue; the next process that opens the home takes their answers.");
  return 0;
}

async function stop({ process: server, url }: ServerRecord): Promise<void> {
  if (!canSee(server))
    throw new UsageError(
      "elsewhere",
      `The server at ${url} runs on ${server.host}, where it cannot be seen from here.`,
      "Stop it there.",
    );
  try {
    process.kill(server.pid, "SIGTERM");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ESRCH") return;
    throw new DeniedError(
      "not-yours",
      `Process ${server.pid} cannot be stopped (${code}).`,
      "Stop it as the user who started it.",
    );
  }
  for (const until = performance.now() + patience; isAlive(server); await delay(pause))
    if (performance.now() > until)
      throw new TimedOutError(
        "still-there",
        `The server at ${url} (process ${server.pid}) did not stop.`,
        "See its log. You can safely kill it; its agents continue.",
      );
}
