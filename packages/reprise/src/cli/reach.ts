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

export async function connectTo({ home, cwd, env }: Here, { url }: ServerRecord): Promise<Reprise> {
  return fromHere(await connect(url, { token: await homeToken(home) }), cwd, env.REPRISE_TURN);
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

/** Paths are those of this shell, not of the server, and so is the turn around it. */
function fromHere(reprise: Reprise, cwd: string, within: string | undefined): Reprise {
  const { sessions, runs } = reprise;
  // Inside a turn nothing may wait for a free agent: that turn may be waiting for it.
  const inside = within ? { within } : {};
  const here = <Wanted extends Explain>(wanted: Wanted): Wanted => ({
    ...wanted,
    ...(wanted.folder && { folder: resolve(cwd, wanted.folder) }),
    cwd: wanted.cwd ?? cwd,
  });
  return {
    ...reprise,
    sessions: {
      ...sessions,
      send: (send, options) => sessions.send({ ...here(send), ...inside }, options),
      finish: (finish, options) => sessions.finish({ ...finish, ...inside }, options),
      explain: (explain) => sessions.explain(here(explain)),
    },
    runs: {
      ...runs,
      start: (start, options) => runs.start({ ...start, ...inside }, options),
      rerun: (rerun, options) => runs.rerun({ ...rerun, ...inside }, options),
    },
  };
}
