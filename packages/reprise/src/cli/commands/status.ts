/** `reprise status`: whether a server runs, and what runs or waits in the home. */

import type { Readiness, Reprise, RunView } from "@reprise/core/api/reprise";
import { readinessSchema } from "@reprise/core/api/schemas";
import type { Turn } from "@reprise/core/session/turn";
import { unsettledItems } from "@reprise/engine/run/deadlines";
import { isLimited } from "@reprise/engine/turn/free-agent";
import { type FoundServer, findServer } from "../../server/server-record.ts";
import type { Cli, OpenedHome } from "../cli.ts";
import { amount } from "../format/amount.ts";
import { oneLine } from "../format/text.ts";
import { age } from "../format/time.ts";

const most = 1000;
const shown = 10;

interface Status {
  readonly home: string;
  readonly server: FoundServer;
  /** Whether work can be taken now, as the server says, or else as it is found here. */
  readonly readiness: Readiness;
  /** Whether somebody looks after deadlines, queued turns, orphaned runs and webhooks. */
  readonly served: boolean;
  readonly runs: readonly RunView[];
  readonly turns: readonly Pick<Turn, "id" | "status">[];
  /** Turns that wait for a free agent. */
  readonly limited: number;
  readonly inbox: number;
  /** Items whose deadline has passed and could not be settled. */
  readonly unsettled: number;
}

export async function run(cli: Cli): Promise<number> {
  const server = await findServer(cli.home);
  const status = await cli.withHome((opened) => look(cli, server, opened));
  if (cli.json) cli.document(status);
  else for (const line of lines(cli, status)) cli.out.line(line);
  return 0;
}

async function look(
  { home }: Cli,
  server: FoundServer,
  { engine, reprise }: OpenedHome,
): Promise<Status> {
  const running = await reprise.runs.list({ status: "running", limit: most });
  const waiting = await reprise.runs.list({ status: "waiting", limit: most });
  const turns = await engine.store.listOpenTurns();
  return {
    home,
    server,
    readiness: await readinessOf(server, reprise),
    served: server.state === "answers",
    runs: [...running, ...waiting],
    turns: turns.map(({ id, status, request }) => ({ id, status, key: request.key })),
    limited: turns.filter(isLimited).length,
    inbox: (await reprise.inbox.list()).length,
    unsettled: (await unsettledItems(engine)).length,
  };
}

async function readinessOf(server: FoundServer, reprise: Reprise): Promise<Readiness> {
  if (server.state !== "answers") return reprise.ready();
  try {
    const signal = AbortSignal.timeout(10_000);
    const response = await fetch(`${server.record.url}/v1/ready`, { signal, redirect: "error" });
    return readinessSchema.parse(await response.json());
  } catch {
    // A server of another version may not have this route.
    return reprise.ready();
  }
}

function lines(cli: Cli, status: Status): string[] {
  const { home, server, served, runs, turns, inbox, unsettled } = status;
  const count = (all: readonly { status: string }[], status: string) =>
    all.filter((each) => each.status === status).length;
  const bold = (text: string) => cli.out.paint("bold", text);
  return [
    `${bold("Home")}    ${home}`,
    `${bold("Server")}  ${serverText(server, cli.now())}`,
    ...status.readiness.reasons.map(
      ({ text, hint }) => `        ${cli.out.paint("red", "not ready:")} ${text} ${hint}`,
    ),
    `${bold("Runs")}    ${count(runs, "running")} running, ${count(runs, "waiting")} waiting for a person`,
    ...runs.slice(0, shown).map((run) => `        ${runLine(run)}`),
    ...(runs.length > shown ? [`        … ${amount(runs.length - shown, "run")} more`] : []),
    `${bold("Turns")}   ${count(turns, "running")} running, ${count(turns, "queued")} in line, ${count(turns, "waiting")} waiting for an answer`,
    ...(status.limited > 0
      ? [`        ${amount(status.limited, "turn")} waiting for a free agent (maxAgents)`]
      : []),
    `${bold("Inbox")}   ${amount(inbox, "item")}`,
    ...(unsettled > 0
      ? [`        ${amount(unsettled, "deadline")} passed and could not be settled: reprise doctor`]
      : []),
    ...(served ? [] : [notServed]),
  ];
}

const notServed =
  "Nobody serves timers: deadlines, queued turns, webhooks and runs that were left wait for the next command. Start a server: reprise up --detach";

function serverText(server: FoundServer, now: number): string {
  if (server.state === "none") return "none runs";
  const { url, process, startedAt, version } = server.record;
  switch (server.state) {
    case "answers":
      return `${url} for ${age(startedAt, now)} (process ${process.pid}, version ${version})`;
    case "silent":
      return `${url} does not answer (process ${process.pid} on ${process.host})`;
    case "gone":
      return `none runs; the last one ended without a word (process ${process.pid})`;
  }
}

function runLine({ id, workflow, status, stalled }: RunView): string {
  return `${id}  ${oneLine(workflow)}  ${stalled ? "left by its process" : status}`;
}
