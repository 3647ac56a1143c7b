/**
 * Connects a command to the server of its home, on the same machine. A command must behave the same with a server and
 * without one, so it uses a server only if that has the same version and the same settings as the command itself.
 */

import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { repriseOver } from "@reprise/client/connect";
import { Connection } from "@reprise/client/connection";
import type { Explain, Reprise, SettingView } from "@reprise/core/api/reprise";
import { readSettings } from "@reprise/engine/config";
import manifest from "../../package.json" with { type: "json" };
import { httpFetch } from "../http-fetch.ts";
import { findServer, type ServerRecord } from "../server/server-record.ts";
import { homeToken } from "../server/tokens.ts";
import type { Surroundings } from "./surroundings.ts";

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
export async function connectTo({ home, cwd, env }: Here, { url }: ServerRecord): Promise<Reprise> {
  const connection = new Connection(url, { token: await homeToken(home), fetch: httpFetch });
  return fromHere(repriseOver(connection), cwd, env.REPRISE_TURN);
}

async function isAsHere(reprise: Reprise, { env, cwd }: Here): Promise<boolean> {
  try {
    const [there, { list }] = await Promise.all([
      reprise.config(),
      readSettings({ flags: {}, env, cwd }),
    ]);
    return isDeepStrictEqual(valuesOf(list), valuesOf(there));
  } catch {
    return false;
  }
}

function valuesOf(list: readonly Pick<SettingView, "name" | "value">[]): object {
  return JSON.parse(JSON.stringify(list.map(({ name, value }) => [name, value])));
}

/** Relative paths, and the turn that the command runs in, are those of this process, not of the server. */
function fromHere(reprise: Reprise, cwd: string, within: string | undefined): Reprise {
  const { agents, sessions, runs } = reprise;
  // Inside a turn a command must not wait for a free agent, because that turn may be waiting for the command.
  const inside = within ? { within } : {};
  // The server would record the owner of the home's token.
  const by = within ? { by: `turn:${within}` } : {};
  const here = <Wanted extends Explain>(wanted: Wanted): Wanted => ({
    ...wanted,
    ...(wanted.folder && { folder: resolve(cwd, wanted.folder) }),
    cwd: wanted.cwd ?? cwd,
  });
  return {
    ...reprise,
    agents: {
      ...agents,
      create: (agent) => agents.create({ ...by, ...agent }),
      set: (set) => agents.set({ ...by, ...set }),
      createClass: (agentClass) => agents.createClass({ ...by, ...agentClass }),
      setClass: (set) => agents.setClass({ ...by, ...set }),
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
