/**
 * Connects a command to the server of its home, on the same machine. A command must behave the same with a server and
 * without one, so it uses a server only if that has the same version and the same settings as the command itself.
 * A home on PostgreSQL is used through its server alone.
 */

import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { repriseOver } from "@reprise/client/connect";
import { Connection } from "@reprise/client/connection";
import type { Explain, Reprise, SettingView } from "@reprise/core/api/reprise";
import { NotFoundError, TerminalError } from "@reprise/core/errors/errors";
import { command } from "@reprise/core/errors/hint";
import { defaultAgentIn } from "@reprise/core/session/policy";
import { readSettings } from "@reprise/engine/config";
import { readStoreRecord } from "@reprise/engine/home";
import { parseStoreAddress } from "@reprise/engine/store-address";
import manifest from "../../package.json" with { type: "json" };
import { httpFetch } from "../http-fetch.ts";
import { type ServedStore, servedStore, storePath } from "../server/served-store.ts";
import { type FoundServer, findServer, type ServerRecord } from "../server/server-record.ts";
import { homeToken } from "../server/tokens.ts";
import type { Surroundings } from "./cli.ts";

export type Here = Pick<Surroundings, "env" | "cwd"> & { readonly home: string };

/** Null when there is no server, or none that would behave like this process. */
export async function reachServer(here: Here): Promise<Reprise | null> {
  const found = await findServer(here.home);
  if (found.state !== "answers" || found.record.version !== manifest.version) return null;
  const reprise = await connectTo(here, found.record).catch(() => null);
  if (reprise === null) return null;
  if (await isAsHere(reprise, here)) return reprise;
  await reprise.close();
  return null;
}

/** For a server that was found, so that it is not asked once more who it is. */
export async function connectTo(here: Here, record: ServerRecord): Promise<Reprise> {
  return fromHere(repriseOver(await connectionTo(here, record)), here);
}

async function connectionTo({ home }: Here, { url }: ServerRecord): Promise<Connection> {
  return new Connection(url, { token: await homeToken(home), fetch: httpFetch });
}

/** What a command can do with a home through its server. */
export interface ReachedServer {
  readonly reprise: Reprise;
  readonly store: ServedStore;
  /** Names of settings that are other ones here than in the server. */
  readonly differing: readonly string[];
}

/** @throws TerminalError `no-server` or `other-version` when the home has no server that this command can use. */
export async function requireServer(here: Here): Promise<ReachedServer> {
  const found = await findServer(here.home);
  if (found.state !== "answers") throw noServer(here.home, found);
  if (found.record.version !== manifest.version) throw otherVersion(found.record);
  const connection = await connectionTo(here, found.record);
  const reprise = withDefaultAgent(fromHere(repriseOver(connection), here), here);
  const store = servedStore(async (verb, argument) => {
    const asking = {
      method: "POST",
      path: `${storePath}/${verb}`,
      body: JSON.stringify({ argument }),
      headers: { "content-type": "application/json" },
    };
    return (await connection.askOnce(asking)).json<{ result: unknown }>().result;
  });
  const differing = await differingSettings(reprise, here);
  return { reprise, store, differing: differing.filter((name) => !agentSettings.includes(name)) };
}

const agentSettings = ["defaultAgent", "folderAgents"];

/** The agent of a new session is the one that was chosen for it here, which the server may not have read yet. */
function withDefaultAgent(reprise: Reprise, { cwd, env }: Here): Reprise {
  const { sessions } = reprise;
  const chosen = async <Wanted extends Explain>(wanted: Wanted): Promise<Wanted> => {
    if (wanted.agent != null) return wanted;
    const { values } = await readSettings({ flags: {}, env, cwd });
    const agent = defaultAgentIn(resolve(cwd, wanted.folder ?? "."), values);
    const isNew = () =>
      sessions.show(wanted.key).then(
        () => false,
        (error) => error instanceof NotFoundError,
      );
    return agent !== null && (await isNew()) ? { ...wanted, agent } : wanted;
  };
  return {
    ...reprise,
    sessions: {
      ...sessions,
      send: async (send, options) => sessions.send(await chosen(send), options),
      explain: async (explain) => sessions.explain(await chosen(explain)),
    },
  };
}

function noServer(home: string, found: FoundServer): TerminalError {
  const { name } = parseStoreAddress(readStoreRecord(home) ?? "");
  return found.state === "silent"
    ? new TerminalError(
        "no-server",
        `The server of the home ${home} at ${found.record.url} does not answer, and its sessions are in the database ${name}.`,
        'Look at its process; "reprise down" stops it where it runs.',
      )
    : new TerminalError(
        "no-server",
        `No server runs for the home ${home}, whose sessions are in the database ${name}.`,
        `Start one with ${command("up --detach")}.`,
      );
}

function otherVersion({ url, version }: ServerRecord): TerminalError {
  return new TerminalError(
    "other-version",
    `The server at ${url} has version ${version}, and this is version ${manifest.version}.`,
    'Stop it with "reprise down", then start it with "reprise up --detach".',
  );
}

async function isAsHere(reprise: Reprise, here: Here): Promise<boolean> {
  return (await differingSettings(reprise, here).catch(() => null))?.length === 0;
}

async function differingSettings(reprise: Reprise, { env, cwd }: Here): Promise<string[]> {
  const [there, { list }] = await Promise.all([
    reprise.config(),
    readSettings({ flags: {}, env, cwd }),
  ]);
  const [ours, theirs] = [valuesOf(list()), valuesOf(there)];
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  return [...names].filter((name) => !isDeepStrictEqual(ours[name], theirs[name]));
}

function valuesOf(
  list: readonly Pick<SettingView, "name" | "value">[],
): Readonly<Record<string, unknown>> {
  return JSON.parse(
    JSON.stringify(Object.fromEntries(list.map((each) => [each.name, each.value]))),
  );
}

/** Relative paths, and the turn that the command runs in, are those of this process, not of the server. */
function fromHere(reprise: Reprise, { cwd, env }: Here): Reprise {
  const { agents, sessions, runs } = reprise;
  const within = env.REPRISE_TURN;
  // Inside a turn a command must not wait for a free agent, because that turn may be waiting for the command.
  const inside = within ? { within } : {};
  // The server would record the owner of the home's token.
  const by = within ? { by: `turn:${within}` } : {};
  const here = <Wanted extends Explain>(wanted: Wanted): Wanted => ({
    ...wanted,
    ...(wanted.folder && { folder: resolve(cwd, wanted.folder) }),
    cwd: wanted.cwd ?? cwd,
  });
  /** Settings of an agent with absolute paths, if it has settings. */
  const paths = async <Value extends string | null>(
    settings: Readonly<Record<string, Value>> | undefined,
    providerOf: () => Promise<string>,
  ) => {
    const named = Object.entries(settings ?? {}).filter(
      (entry): entry is [string, Value & string] => entry[1] !== null,
    );
    if (named.length === 0) return {};
    const { readProviders } = await import("@reprise/engine/load-providers");
    const { absolutePaths } = await import("@reprise/engine/agents");
    const providers = await readProviders({ cwd, env });
    const engine = { cwd, env, provider: (name: string) => providers.find(name) };
    const agent = { provider: await providerOf(), settings: Object.fromEntries(named) };
    return { settings: { ...settings, ...absolutePaths(engine, agent) } };
  };
  return {
    ...reprise,
    agents: {
      ...agents,
      create: async (agent) => {
        const provider = async () =>
          agent.provider ?? (await agents.showClass(agent.class ?? "")).provider;
        return agents.create({ ...by, ...agent, ...(await paths(agent.settings, provider)) });
      },
      set: async (set) => {
        const provider = async () => (await agents.show(set.name)).provider;
        return agents.set({ ...by, ...set, ...(await paths(set.settings, provider)) });
      },
      createClass: async (agentClass) => {
        const provider = async () => agentClass.provider;
        const settings = await paths(agentClass.settings, provider);
        return agents.createClass({ ...by, ...agentClass, ...settings });
      },
      setClass: async (set) => {
        const provider = async () => (await agents.showClass(set.name)).provider;
        return agents.setClass({ ...by, ...set, ...(await paths(set.settings, provider)) });
      },
    },
    sessions: {
      ...sessions,
      send: (send, options) => sessions.send({ ...by, ...here(send), ...inside }, options),
      finish: (finish, options) => sessions.finish({ ...by, ...finish, ...inside }, options),
      purge: (key, purge) => sessions.purge(key, { ...by, ...purge }),
      move: (move) => sessions.move({ ...by, ...move }),
      export: (session) => sessions.export({ ...by, ...session }),
      archive: (key, archive) => sessions.archive(key, { ...by, ...archive }),
      revive: (key, revive) => sessions.revive(key, { ...by, ...revive }),
      set: (set) => sessions.set({ ...by, ...set }),
      explain: (explain) => sessions.explain(here(explain)),
    },
    runs: {
      ...runs,
      start: (start, options) => runs.start({ ...start, ...inside }, options),
      rerun: (rerun, options) => runs.rerun({ ...rerun, ...inside }, options),
    },
  };
}
