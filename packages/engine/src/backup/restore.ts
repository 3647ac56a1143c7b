/**
 * `restore`: restores the sessions of a backup into a home. The home need not be usable, because repairing a
 * damaged one is the purpose. A home that other processes have open gets the new content in one transaction.
 */

import { existsSync } from "node:fs";
import { link, mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { RestoreReport } from "@reprise/core/api/reprise";
import type { BackupHeader } from "@reprise/core/backup/header";
import { BusyError, StoreError, UsageError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { Turn } from "@reprise/core/session/turn";
import { pathSettings, programSettings } from "@reprise/providers/manifest";
import type { Provider } from "@reprise/providers/provider";
import { copyDatabase, overwriteDatabase } from "@reprise/store/sqlite/database/copy-database";
import { latestSchema } from "@reprise/store/sqlite/migrations/migrations";
import { openSqliteStore } from "@reprise/store/sqlite/open";
import type { Store } from "@reprise/store/store";
import { newId } from "../engine.ts";
import { type Home, openHome } from "../home.ts";
import { isAlive } from "../hosts.ts";
import { activeRuns } from "../run/active-runs.ts";
import { openTurns } from "../turn/acquire.ts";
import { withoutEffect } from "../turn/without-effect.ts";
import { readBackupHeader, unpackBackup } from "./backup-file.ts";

export interface RestoreOptions {
  readonly home: string;
  readonly file: string;
  /** Replaces the sessions that the home has. */
  readonly force: boolean;
  /** Tokens and webhooks of the backup stay valid; otherwise they are revoked and removed. */
  readonly withTokens?: boolean;
  readonly withWebhooks?: boolean;
  /** Their manifests say which settings are programs and paths. */
  readonly providers: readonly Provider[];
  readonly cwd: string;
  /** Who restores it, recorded with the event. */
  readonly by: string;
  now(): number;
}

/** What is in the home: nothing, a database that can be used, or one that cannot. */
type Present = "none" | "usable" | "unusable";

interface Looked {
  readonly present: Present;
  /** The secret of that database; null if it has none. */
  readonly secret: string | null;
}

export async function restore(options: RestoreOptions): Promise<RestoreReport> {
  const file = resolve(options.cwd, options.file);
  const header = await readBackupHeader(file);
  if (header.schema > latestSchema) throw newerSchema(file, header);
  const home = await openHome(options.home);
  const { present, secret } = await look(home, options.force);

  const draft = `${home.database}.${newId()}.new`;
  try {
    await unpackBackup(file, draft);
    const { interrupted, ...cameAlong } = await settle(draft, header, home, { ...options, secret });
    const keptAside = present === "none" ? null : await keepAside(home, present, options.now());
    // The secret first: with another home's secret every account would look different.
    await writeSecret(home, header.secret);
    // The restored database was never opened here: owners in it belong to another host.
    await rm(join(home.path, "host"), { force: true });
    if (present === "usable") await overwriteDatabase(draft, home.database);
    else await link(draft, home.database);
    const { madeAt, schema, sessions, turns } = header;
    const restored = { madeAt, schema, sessions, turns, interrupted };
    return { file, home: home.path, ...restored, keptAside, ...cameAlong };
  } finally {
    for (const suffix of ["", "-wal", "-shm"]) await rm(draft + suffix, { force: true });
  }
}

async function look(home: Home, force: boolean): Promise<Looked> {
  if (!existsSync(home.database)) return { present: "none", secret: null };
  let store: Store;
  try {
    store = await openSqliteStore(home.database);
  } catch (error) {
    const unusable =
      error instanceof StoreError && ["store-corrupt", "store-newer"].includes(error.code);
    if (!unusable) throw error;
    if (!force) throw notForced(home, "a database that cannot be read");
    return { present: "unusable", secret: null };
  }
  try {
    for await (const turn of openTurns(store))
      if (turn.status === "running" && turn.owner !== null && isAlive(turn.owner))
        throw atWork(turn);
    const [session] = await store.listSessions({ limit: 1 });
    if (session && !force) throw notForced(home, "sessions");
    return { present: "usable", secret: await store.readSecret() };
  } catch (error) {
    if (!(error instanceof StoreError && error.code === "store-corrupt")) throw error;
    if (!force) throw notForced(home, "a database that cannot be read");
    return { present: "unusable", secret: null };
  } finally {
    await store.close();
  }
}

/** Prepares the unpacked database for this home: checks it, migrates it, and closes its open turns. */
async function settle(
  draft: string,
  header: BackupHeader,
  home: Home,
  options: RestoreOptions & Pick<Looked, "secret">,
): Promise<Pick<RestoreReport, "interrupted" | "tokens" | "webhooks" | "programs">> {
  const at = options.now();
  const store = await openSqliteStore(draft);
  try {
    const { sound, problems } = await store.check({ full: true });
    if (!sound)
      throw new StoreError(
        "backup-damaged",
        `The database in the backup is damaged: ${problems[0]}.`,
        "Use another backup. Nothing was changed.",
      );
    // An old backup has no secret. A process that has the home open keeps using the one it read.
    if (options.secret !== null) await store.recordSecret({ secret: options.secret });
    await store.rebasePins({ from: header.home, to: await realpath(home.path) });
    let interrupted = 0;
    for await (const turn of openTurns(store)) {
      if (turn.status === "waiting") continue;
      await interrupt(store, turn, at);
      interrupted += 1;
    }
    for await (const { id, token } of activeRuns(store))
      await store.takeRun({ run: id, token, owner: null });
    const { sessions, turns, madeAt } = header;
    const data = { madeAt, sessions, turns, by: options.by };
    await store.recordEvent({ stream: "home", event: { type: "home.restored", data }, at });
    return { interrupted, ...(await revokeRights(store, options, at)) };
  } finally {
    await store.close();
  }
}

/** A backup may have tokens that were revoked later, or come from another user. */
async function revokeRights(store: Store, options: RestoreOptions, at: number) {
  const { withTokens = false, withWebhooks = false } = options;
  const tokens = (await store.listTokens()).filter(({ revokedAt }) => revokedAt === null);
  const webhooks = await store.listWebhooks();
  if (!withTokens)
    for (const { name } of tokens) await store.revokeToken({ name, by: options.by, at });
  if (!withWebhooks)
    for (const { id } of webhooks) await store.removeWebhook({ id, by: options.by, at });
  await store.endLogins();
  return {
    tokens: tokens.map(({ name, role }) => ({ name, role, kept: withTokens })),
    webhooks: webhooks.map(({ id, url }) => ({ id, url, kept: withWebhooks })),
    programs: await programsIn(store, options.providers),
  };
}

async function programsIn(
  store: Store,
  providers: readonly Provider[],
): Promise<RestoreReport["programs"]> {
  const all = [...(await store.listAgents()), ...(await store.listClasses())];
  const local = ({ provider, settings }: (typeof all)[number]) => {
    const known = providers.find(({ manifest }) => manifest.name === provider)?.manifest;
    // A provider that is not loaded here may have a program in a setting of the usual name.
    const names = known ? [...pathSettings(known), ...programSettings(known)] : ["binary", "home"];
    return Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)));
  };
  return all
    .map((agent) => ({ name: agent.name, settings: local(agent) }))
    .filter(({ settings }) => Object.keys(settings).length > 0);
}

/** The turn may have run after the backup was made, so it is interrupted and not run again. */
async function interrupt(store: Store, turn: Turn, at: number): Promise<void> {
  const error = {
    code: "interrupted",
    message: `Turn ${turn.id} was open when the backup was made.`,
    hint: "Check what the agent did since then, then send it again.",
  };
  const attempt = turn.attempts.find(({ ending }) => ending === null);
  await store.finishTurn({
    ...withoutEffect,
    turn: turn.id,
    token: turn.token,
    status: "interrupted",
    error,
    attempt: attempt
      ? {
          number: attempt.number,
          ending: "interrupted",
          handle: attempt.handle,
          exit: null,
          error,
          usage: null,
          tools: attempt.tools,
        }
      : null,
    at,
  });
}

/** The database and the secret as they were, in a folder of the home. */
async function keepAside(home: Home, present: Present, at: number): Promise<string> {
  const stamp = new Date(at).toISOString().replace(/[:.]/g, "-");
  const aside = join(home.path, `before-restore-${stamp}`);
  await mkdir(aside, { mode: 0o700 });
  await writeFile(join(aside, "secret"), home.secret, { mode: 0o600, flag: "wx" });
  if (present === "usable") await copyDatabase(home.database, join(aside, "reprise.db"));
  else
    for (const suffix of ["", "-wal", "-shm"])
      if (existsSync(home.database + suffix))
        await rename(home.database + suffix, join(aside, `reprise.db${suffix}`));
  return aside;
}

async function writeSecret({ path }: Home, secret: string): Promise<void> {
  const draft = join(path, `secret.${newId()}`);
  await writeFile(draft, secret, { mode: 0o600, flag: "wx" });
  await rename(draft, join(path, "secret"));
}

function notForced({ path }: Home, what: string): UsageError {
  return new UsageError(
    "home-in-use",
    `The home ${path} has ${what}, which the backup would replace.`,
    `Restore into another home with ${option("home")}, or replace it with ${option("force")}, which keeps the old data aside.`,
  );
}

function atWork({ id, request }: Turn): BusyError {
  return new BusyError(
    "busy",
    `An agent is running in turn ${id} of session ${request.key}.`,
    "Wait until it has ended or cancel it, then restore again.",
  );
}

function newerSchema(file: string, { schema }: BackupHeader): StoreError {
  return new StoreError(
    "backup-newer",
    `The backup ${file} has schema version ${schema}; this version of Reprise reads up to ${latestSchema}.`,
    "Use the newer Reprise that wrote it.",
  );
}
