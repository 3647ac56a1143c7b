/**
 * The way to the server of a home, for a command that is typed on its machine. A command must give the
 * same with a server and without one; so it goes through a server only when that is of the same version
 * and would go by the same settings as the command itself.
 */

import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { connect } from "@reprise/client/connect";
import type { Explain, Reprise, SettingView } from "@reprise/core/api/reprise";
import { readSettings } from "@reprise/engine/config";
import manifest from "../../package.json" with { type: "json" };
import { findServer, type ServerRecord } from "../server/server-record.ts";
import { homeToken } from "../server/tokens.ts";
import type { Surroundings } from "./surroundings.ts";

export type Here = Pick<Surroundings, "env" | "cwd"> & { readonly home: string };

/** Null when there is no server, or none that would do the same as this process. */
export async function reachServer(here: Here): Promise<Reprise | null> {
  const found = await findServer(here.home);
  if (found.state !== "answers" || found.record.version !== manifest.version) return null;
  const reprise = await connectTo(here, found.record).catch(() => null);
  if (reprise === null) return null;
  if (await isAsHere(reprise, here)) return reprise;
  await reprise.close();
  return null;
}

export async function connectTo({ home, cwd }: Here, { url }: ServerRecord): Promise<Reprise> {
  return fromHere(await connect(url, { token: await homeToken(home) }), cwd);
}

async function isAsHere(reprise: Reprise, { env, cwd }: Here): Promise<boolean> {
  try {
    const there = await reprise.config();
    const { list } = await readSettings({ flags: {}, env, cwd });
    return isDeepStrictEqual(valuesOf(list), valuesOf(there));
  } catch {
    return false;
  }
}

function valuesOf(list: readonly Pick<SettingView, "name" | "value">[]): object {
  return JSON.parse(JSON.stringify(list.map(({ name, value }) => [name, value])));
}

/** A turn works in the folder in which it is sent, and not in that of the server. */
function fromHere(reprise: Reprise, cwd: string): Reprise {
  const { sessions, agents } = reprise;
  const inFolder = async <Wanted extends Explain>(wanted: Wanted): Promise<Wanted> => {
    if (wanted.folder) return { ...wanted, folder: resolve(cwd, wanted.folder) };
    try {
      const agent = wanted.agent ?? (await sessions.show(wanted.key)).agent;
      return (await agents.show(agent)).folder === null ? { ...wanted, folder: cwd } : wanted;
    } catch {
      // Whatever is wrong with it is said by whoever is asked to do it.
      return wanted;
    }
  };
  return {
    ...reprise,
    sessions: {
      ...sessions,
      send: async (send, options) => sessions.send(await inFolder(send), options),
      explain: async (explain) => sessions.explain(await inFolder(explain)),
    },
  };
}
