/** `protect`: turns it on and off, counts and lists what is kept, and forgets it. */

import { parse } from "@reprise/core/api/parse";
import {
  forgetKeptSchema,
  listKeptSchema,
  setProtectSchema,
} from "@reprise/core/api/protect-schemas";
import type {
  KeptSessionView,
  ProtectApi,
  ProtectedHome,
  ProtectStatus,
} from "@reprise/core/api/reprise";
import type { Retention } from "@reprise/providers/provider";
import type { KeptCopy, KeptCount } from "@reprise/store/contract/kept";
import { actor, type Engine } from "../engine.ts";
import { requireOutsideTurn } from "../outside-turn.ts";
import { findKept } from "./find-kept.ts";
import { type NativeHome, nativeHomes } from "./homes.ts";
import { restoreKept } from "./restore.ts";
import { scanNow } from "./scan.ts";

export function protectOf(engine: Engine): ProtectApi {
  const { store, home, now } = engine;
  let scanning: Promise<unknown> = Promise.resolve();
  return {
    async set(input) {
      requireOutsideTurn("turn protect on or off");
      const { on, by } = parse(setProtectSchema(), input);
      await store.setProtection({ host: home.hostId, on, by: actor(engine, by), at: now() });
      return status(engine);
    },
    scan(input) {
      // Two scans at once would read the same files.
      const scan = scanning.then(() => scanNow(engine, input));
      scanning = scan.catch(() => {});
      return scan;
    },
    status: () => status(engine),
    list: (query) => list(engine, query),
    restore: (input) => restoreKept(engine, input),
    async forget(id, options = {}) {
      requireOutsideTurn("remove the copy of a session");
      const { by, ...wanted } = parse(forgetKeptSchema(), { id, ...options });
      const found = await findKept(engine, wanted);
      await store.forgetKept({ kept: found.kept, at: now(), by: actor(engine, by) });
      return keptView(found, null);
    },
  };
}

interface HomeWithRetention {
  readonly provider: string;
  readonly place: string;
  readonly retention: Retention | null;
}

async function retentions(engine: Engine): Promise<HomeWithRetention[]> {
  const homes = await nativeHomes(engine);
  return Promise.all(
    homes.map(async (home: NativeHome) => ({
      provider: home.provider.manifest.name,
      place: home.place,
      retention: (await home.native.retention?.(home.agent)) ?? null,
    })),
  );
}

/** Homes with nothing in them and nothing kept of them are left out. */
async function status(engine: Engine): Promise<ProtectStatus> {
  const { store, home, settings } = engine;
  const [protection, counts, homes] = await Promise.all([
    store.readProtection(home.hostId),
    store.countKept(home.hostId),
    retentions(engine),
  ]);
  const isOf = (one: { provider: string; place: string }) => (other: typeof one) =>
    one.provider === other.provider && one.place === other.place;
  return {
    onAt: protection.onAt,
    every: settings["protect.every"],
    scannedAt: protection.scannedAt,
    unread: protection.unread.length,
    homes: counts.map((count) => homeView(count, homes.find(isOf(count))?.retention ?? null)),
  };
}

function homeView(count: KeptCount, retention: Retention | null): ProtectedHome {
  return { ...count, deletesAfter: retention?.after ?? null, why: retention?.why ?? null };
}

async function list(engine: Engine, input: unknown = {}): Promise<KeptSessionView[]> {
  const { gone, limit } = parse(listKeptSchema(), input);
  const { store, home } = engine;
  const host = home.hostId;
  if (gone)
    return (await store.listKept({ host, gone, limit })).map((session) => keptView(session, null));
  const found = await Promise.all(
    (await retentions(engine)).map(async ({ retention, ...of }) =>
      retention === null
        ? []
        : (await store.listKept({ host, of, gone, limit })).map((each) =>
            keptView(each, retention),
          ),
    ),
  );
  return found
    .flat()
    .sort((one, other) => (one.expiresAt ?? 0) - (other.expiresAt ?? 0))
    .slice(0, limit);
}

function keptView(
  { kept: _, host: __, state: ___, ...session }: KeptCopy,
  retention: Retention | null,
): KeptSessionView {
  return {
    ...session,
    expiresAt: retention && session.usedAt + retention.after,
    why: retention?.why ?? null,
  };
}
