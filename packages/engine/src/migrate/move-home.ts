/**
 * `migrate --to`: moves a home from its own database to one on a PostgreSQL server. The home uses its own database until
 * the other one has everything and was compared with it; then `store.json` is written, and from that moment the home
 * uses the other one. Killed between any two steps, the next start continues.
 */

import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { BusyError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import { ownerText } from "@reprise/core/session/owner-text";
import type { ProcessIdentity, Turn } from "@reprise/core/session/turn";
import { lives, machine } from "@reprise/providers/launch/process";
import type { Run } from "@reprise/store/contract/runs";
import { leaveMovedMark, movedSchema } from "@reprise/store/sqlite/moved-mark";
import { openSqliteStore } from "@reprise/store/sqlite/open";
import { schemaOf } from "@reprise/store/sqlite/schema-of";
import { type BatchLimits, TransferSource } from "@reprise/store/transfer/source";
import { TransferTarget } from "@reprise/store/transfer/target";
import {
  type Transferred,
  type TransferredTable,
  transfer,
} from "@reprise/store/transfer/transfer";
import { type Home, openHome, readStoreRecord, storeRecordIn, writeStoreRecord } from "../home.ts";
import { type HomeStore, homeStore, storeIdOf } from "../home-store.ts";
import { activeRuns } from "../run/active-runs.ts";
import { openTurns } from "../turn/acquire.ts";
import type { MigrateOptions } from "./migrate-schema.ts";

export type MoveProgress =
  | {
      readonly step: "copied";
      readonly table: string;
      readonly copied: number;
      readonly rows: number;
    }
  | { readonly step: "compared" | "switched" | "kept-aside" };

export interface MoveOptions extends MigrateOptions {
  /** Address of the PostgreSQL database. */
  readonly to: string;
  readonly report?: (progress: MoveProgress) => void;
  /** The size of a batch. */
  readonly limits?: BatchLimits;
}

export interface MoveReport {
  readonly home: string;
  /** Host, port and name of the database that the home uses now. */
  readonly database: string;
  /** False if the home used it already, so that nothing was copied. */
  readonly moved: boolean;
  readonly resumed: boolean;
  readonly tables: readonly TransferredTable[];
  /** The database that the home used before. */
  readonly keptAside: string | null;
}

/**
 * The caller makes sure that no server uses the home.
 *
 * @throws BusyError `busy`, `store-in-use`, `store-of-another-home`; UsageError `store-differs`, `store-not-empty`;
 * StoreError `transfer-differs` and those of both databases. The home then uses what it used before.
 */
export async function moveHome(options: MoveOptions): Promise<MoveReport> {
  const { to, env, now, report = () => {} } = options;
  const home = await openHome(options.home, { mayCreate: false });
  const target = homeStore(home.path, { given: to, env })!;
  const isMoved = readStoreRecord(home.path) !== null;
  if (isMoved && (!existsSync(home.database) || schemaOf(home.database) === movedSchema))
    return { ...unchanged(home, target), keptAside: null };
  if (!isMoved) await requireIdle(home);
  const source = TransferSource.open(home.database);
  try {
    const transferred = isMoved ? null : await copyAndSwitch(home, source, target, options);
    const keptAside = keepAside(home, now());
    report({ step: "kept-aside" });
    return { ...unchanged(home, target), ...transferred, moved: !isMoved, keptAside };
  } finally {
    source.close();
  }
}

async function copyAndSwitch(
  home: Home,
  source: TransferSource,
  { url, name }: HomeStore,
  { now, limits, report = () => {} }: MoveOptions,
): Promise<Transferred> {
  const place = { id: storeIdOf(home), host: machine().host, path: home.path, at: now() };
  const target = await TransferTarget.open({ url, database: name, home: place });
  try {
    const transferred = await transfer({
      source,
      target,
      ...(limits && { limits }),
      report: (progress) => report({ step: "copied", ...progress }),
    });
    report({ step: "compared" });
    writeStoreRecord(home.path, url);
    for (const written of [storeRecordIn(home.path), home.path]) sync(written);
    report({ step: "switched" });
    // If it fails, the next process that opens the home does it.
    await target.accept().catch(() => {});
    return transferred;
  } finally {
    await target.close();
  }
}

/** Gives the database another name, in a folder of its own. What is left in its place opens no home. */
function keepAside(home: Home, at: number): string {
  const stamp = new Date(at).toISOString().replace(/[:.]/g, "-");
  const file = join(home.path, `before-migration-${stamp}`, "reprise.db");
  mkdirSync(dirname(file), { mode: 0o700 });
  linkSync(home.database, file);
  leaveMovedMark(home.database);
  return file;
}

/** The database of the home is locked for the copy, but why it cannot be is easier to say from what is in it. */
async function requireIdle(home: Home): Promise<void> {
  const store = await openSqliteStore(home.database);
  try {
    for await (const turn of openTurns(store))
      if (turn.owner !== null && lives(turn.owner)) throw turnInFlight(turn, turn.owner);
    for await (const run of activeRuns(store))
      if (run.owner !== null && lives(run.owner)) throw runInFlight(run, run.owner);
  } finally {
    await store.close();
  }
}

function unchanged(home: Home, { name }: HomeStore): Omit<MoveReport, "keptAside"> {
  return { home: home.path, database: name, moved: false, resumed: false, tables: [] };
}

/** The record must be on the disk before the database gets another name. */
function sync(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

function turnInFlight({ id, request: { key } }: Turn, owner: ProcessIdentity): BusyError {
  return new BusyError(
    "busy",
    `Turn ${id} of session ${key} belongs to ${ownerText(owner)}.`,
    `Wait until it has ended, or cancel it with ${verb("turns.cancel", id)}, then try again.`,
  );
}

function runInFlight({ id }: Run, owner: ProcessIdentity): BusyError {
  return new BusyError(
    "busy",
    `Run ${id} belongs to ${ownerText(owner)}.`,
    `Wait until it has ended, or cancel it with ${verb("runs.cancel", { run: id })}, then try again.`,
  );
}
