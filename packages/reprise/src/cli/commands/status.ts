/** `reprise status`: the server, the link to its page, and what runs or waits in the home. */

import type {
  LimitView,
  ProtectStatus,
  Readiness,
  Reprise,
  RunView,
} from "@reprise/core/api/reprise";
import { readinessSchema } from "@reprise/core/api/schemas";
import type { Turn } from "@reprise/core/session/turn";
import { databaseIn, readStoreRecord } from "@reprise/engine/home";
import { unsettledItems } from "@reprise/engine/runs";
import { parseStoreAddress } from "@reprise/engine/store-address";
import { openTurns } from "@reprise/engine/turn/acquire";
import { isLimited } from "@reprise/engine/turn/launch";
import { turnAround } from "@reprise/providers/launch/process";
import { type FoundServer, findServer } from "../../server/server-record.ts";
import type { Cli, OpenedHome } from "../cli.ts";
import { age, ago, amount, oneLine } from "../format/text.ts";
import { pageLinkOf } from "../page-link.ts";

/** Maximum runs and turns that are listed; the others are only counted. */
const maxNamed = 10;
const liveRuns = ["running", "waiting", "stuck"] as const;

/** What can be said without the database. */
interface Place {
  readonly home: string;
  readonly store: StoreView;
  readonly server: FoundServer;
  /** Whether a server takes care of deadlines, queued turns, orphaned runs and webhooks. */
  readonly served: boolean;
}

interface Status extends Place {
  /** Link that opens the page and logs in; null without a server, and for a process of an agent. */
  readonly page: string | null;
  /** Whether work can be accepted now, as reported by the server or checked by this process. */
  readonly readiness: Readiness;
  readonly counts: Readonly<Record<(typeof liveRuns)[number], number>>;
  /** The newest of each status. */
  readonly runs: readonly RunView[];
  readonly turns: readonly OpenTurn[];
  /** Turns that wait for a free agent. */
  readonly limited: number;
  /** Accounts whose limit is used up. */
  readonly limits: readonly LimitView[];
  readonly inbox: number;
  /** Items whose deadline has passed and could not be settled. */
  readonly unsettled: number;
  /** Whether sessions that Reprise did not start are kept, and when they were last scanned for. */
  readonly protect: Pick<ProtectStatus, "onAt" | "scannedAt">;
}

/** Where the sessions are; `database` is a file, or the host, port and name of a database. */
interface StoreView {
  readonly kind: "sqlite" | "postgres";
  readonly database: string;
}

interface OpenTurn extends Pick<Turn, "id" | "status" | "openedAt"> {
  readonly key: string;
  readonly agent: string;
}

export async function run(cli: Cli): Promise<number> {
  const { home } = cli;
  const server = await findServer(home);
  const place = { home, store: storeOf(home), server, served: server.state === "answers" };
  // A home on PostgreSQL is read through its server.
  const isOutOfReach = place.store.kind === "postgres" && !place.served;
  const status = isOutOfReach ? place : await cli.withHome((opened) => look(place, opened));
  if (cli.json) cli.document(status);
  else for (const line of lines(cli, status)) cli.out.line(cli.out.hint(line));
  return 0;
}

async function look(place: Place, { engine, reprise }: OpenedHome): Promise<Status> {
  const { home, server } = place;
  const counted = liveRuns.map(async (status) => [status, await reprise.runs.count({ status })]);
  const listed = liveRuns.map((status) => reprise.runs.list({ status, limit: maxNamed }));
  const turns: Turn[] = [];
  for await (const turn of openTurns(engine.store)) turns.push(turn);
  return {
    ...place,
    page:
      server.state === "answers" && turnAround() === null
        ? await pageLinkOf(home, server.record)
        : null,
    readiness: await readinessOf(server, reprise),
    counts: Object.fromEntries(await Promise.all(counted)),
    runs: (await Promise.all(listed)).flat(),
    turns: turns.map(({ id, status, openedAt, request: { key, agent } }) => ({
      ...{ id, status, key, agent, openedAt },
    })),
    limited: turns.filter(isLimited).length,
    limits: await reprise.limits(),
    inbox: await reprise.inbox.count(),
    unsettled: (await unsettledItems(engine)).length,
    protect: await protectOf(reprise),
  };
}

async function protectOf({ protect }: Reprise): Promise<Status["protect"]> {
  const { onAt, scannedAt } = await protect.status();
  return { onAt, scannedAt };
}

function storeOf(home: string): StoreView {
  const address = readStoreRecord(home);
  return address === null
    ? { kind: "sqlite", database: databaseIn(home) }
    : { kind: "postgres", database: parseStoreAddress(address).name };
}

async function readinessOf(server: FoundServer, reprise: Reprise): Promise<Readiness> {
  if (server.state !== "answers") return reprise.ready();
  try {
    const signal = AbortSignal.timeout(10_000);
    const response = await fetch(`${server.record.url}/v1/ready`, { signal, redirect: "error" });
    return readinessSchema().parse(await response.json());
  } catch {
    // A server of another version may not have this route.
    return reprise.ready();
  }
}

function lines(cli: Cli, status: Place | Status): string[] {
  const { home, store, server, served } = status;
  return [
    heading(cli, "Home", home),
    heading(cli, "Store", storeText(store)),
    heading(cli, "Server", serverText(server, cli.now())),
    ...("counts" in status ? workLines(cli, status) : []),
    ...(served ? [] : [notServed[store.kind]]),
  ];
}

function heading({ out }: Cli, name: string, text: string): string {
  return `${out.paint("bold", name.padEnd(8))}${text}`;
}

function workLines(cli: Cli, status: Status): string[] {
  const { page, runs, turns, counts, inbox, unsettled, protect } = status;
  const open = (status: string) => turns.filter((turn) => turn.status === status).length;
  const now = cli.now();
  const below = (texts: readonly string[]) => texts.map((text) => `${" ".repeat(8)}${text}`);
  const live = counts.running + counts.waiting + counts.stuck;
  return [
    ...(page === null ? [] : [heading(cli, "Page", page)]),
    ...below(
      status.readiness.reasons.map(
        ({ text, hint }) => `${cli.out.paint("red", "not ready:")} ${text} ${hint}`,
      ),
    ),
    heading(
      cli,
      "Runs",
      `${counts.running} running, ${counts.waiting} waiting for a person${counts.stuck > 0 ? `, ${counts.stuck} stuck` : ""}`,
    ),
    ...below(runs.slice(0, maxNamed).map((run) => runLine(run, now))),
    ...below(more(live - maxNamed, "run", "reprise runs")),
    heading(
      cli,
      "Turns",
      `${open("running")} running, ${open("queued")} queued, ${open("waiting")} waiting for an answer`,
    ),
    ...below(turns.slice(0, maxNamed).map((turn) => turnLine(turn, now))),
    ...below(more(turns.length - maxNamed, "turn", "reprise session list --status running")),
    ...below(
      status.limited > 0
        ? [`${amount(status.limited, "turn")} waiting for a free agent (maxAgents)`]
        : [],
    ),
    ...status.limits.map((limit) => heading(cli, "Limit", limitText(limit))),
    heading(cli, "Inbox", `${amount(inbox, "item")}${inbox > 0 ? ": reprise inbox" : ""}`),
    ...below(
      unsettled > 0
        ? [`${amount(unsettled, "deadline")} passed and could not be settled: reprise doctor`]
        : [],
    ),
    ...(protect.onAt === null ? [] : [heading(cli, "Protect", protectText(protect, now))]),
  ];
}

function protectText({ scannedAt }: Status["protect"], now: number): string {
  const scanned = scannedAt === null ? "no scan yet" : `last scan ${ago(scannedAt, now)}`;
  return `on, ${scanned}: reprise protect status`;
}

const notServed: Readonly<Record<StoreView["kind"], string>> = {
  sqlite:
    "No server is running: deadlines, queued turns, webhooks and unfinished runs wait for the next command. Start one with: reprise up --detach",
  postgres:
    "No server is running, and a home on PostgreSQL is used through its server. Start one with: reprise up --detach",
};

function more(count: number, what: string, command: string): string[] {
  return count > 0 ? [`… ${amount(count, what)} more: ${command}`] : [];
}

function storeText({ kind, database }: StoreView): string {
  return `${kind === "sqlite" ? "SQLite" : "PostgreSQL"}, ${database}`;
}

function serverText(server: FoundServer, now: number): string {
  if (server.state === "none") return "not running";
  const { url, process, startedAt, version } = server.record;
  switch (server.state) {
    case "answers":
      return `${url}, started ${ago(startedAt, now)} (process ${process.pid}, version ${version})`;
    case "silent":
      return `${url} does not answer (process ${process.pid} on ${process.host})`;
    case "gone":
      return `not running; the last one (process ${process.pid}) ended without being stopped`;
  }
}

function runLine({ id, workflow, status, stalled, startedAt }: RunView, now: number): string {
  const state = stalled ? "left by its process" : status;
  return `${id}  ${oneLine(workflow)}  ${state}  ${age(startedAt, now)}`;
}

function limitText({ provider, agent, turn, until, waiting }: LimitView): string {
  const waits = waiting > 0 ? `; ${amount(waiting, "turn")} waiting for the reset` : "";
  return `account of ${agent} (${provider}) used up until ${new Date(until).toISOString()}, found by turn ${turn.slice(0, 8)}${waits}`;
}

function turnLine({ id, key, agent, status, openedAt }: OpenTurn, now: number): string {
  return `${id.slice(0, 8)}  ${oneLine(key)}  ${agent}  ${status}  ${age(openedAt, now)}`;
}
