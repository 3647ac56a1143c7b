/** The home: the folder with everything Reprise keeps, readable only by its owner. */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import {
  access,
  constants,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  DeniedError,
  NotFoundError,
  RepriseError,
  StoreError,
  UsageError,
} from "@reprise/core/errors/errors";
import { option, slot, verb } from "@reprise/core/errors/hint";
import type { Engine } from "./engine.ts";
import { checkHome } from "./home-check.ts";
import { storeRecordIn } from "./store-record.ts";

export interface Home {
  readonly path: string;
  /** It cannot be written, and is only read. */
  readonly isReadOnly: boolean;
  /** A sentence for the user if permissions of others were removed; otherwise null. */
  readonly repaired: string | null;
  readonly database: string;
  /** The key for digests of credentials. */
  readonly secret: string;
  /** The id of the host of this home; a restored home gets a new one. */
  readonly hostId: string;
  agentFolder(agent: string): string;
  /** The folder for provider files that a turn found damaged or that moving the key replaced. */
  found(turnOrKey: string): string;
}

export function databaseIn(home: string): string {
  return join(home, "reprise.db");
}

/** Whether the folder is a home: it has a database, or the address of one. */
export function hasStore(home: string): boolean {
  return existsSync(databaseIn(home)) || existsSync(storeRecordIn(home));
}

export interface HomeOptions {
  /** False: a home that does not exist is an error. True unless given. */
  readonly mayCreate?: boolean;
  /** The caller changes nothing: a home that cannot be written is opened all the same. */
  readonly onlyReads?: boolean;
}

/** @throws NotFoundError `no-home` */
export async function openHome(
  path: string,
  { mayCreate = true, onlyReads = false }: HomeOptions = {},
): Promise<Home> {
  const home = resolve(path);
  try {
    if (mayCreate) await makeFolder(home);
    else if (!(await isThere(databaseIn(home))) && !(await isThere(storeRecordIn(home))))
      throw noHome(home);
    const isReadOnly = onlyReads && !(await isWritable(home));
    if (!isReadOnly) await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
    const repaired = isReadOnly ? null : checkHome(home);
    return {
      path: home,
      isReadOnly,
      repaired,
      database: databaseIn(home),
      secret: await readSecret(join(home, "secret")),
      hostId: await readSecret(join(home, "host")),
      agentFolder: (agent) => join(home, "agents", agent),
      found: (turn) => join(home, "found", turn),
    };
  } catch (error) {
    if (error instanceof RepriseError || !isSystemError(error)) throw error;
    const file = await fileOnTheWay(home);
    if (file !== null)
      throw new UsageError(
        "home-not-a-folder",
        `The home ${home} cannot be used: ${file === home ? "it" : file} is not a folder.`,
        `Choose another with ${option("home")} or REPRISE_HOME.`,
        { cause: error },
      );
    if (error.code === "ENOSPC" || error.code === "EDQUOT")
      throw new StoreError(
        "store-full",
        `The home ${home} cannot be written: the disk is full (${error.code}).`,
        "Free some disk space and try again.",
        { cause: error },
      );
    throw new DeniedError(
      "home-not-writable",
      `The home ${home} cannot be written (${error.code}).`,
      `Choose another with ${option("home")} or REPRISE_HOME, or give yourself write permission.`,
      { cause: error },
    );
  }
}

function noHome(home: string): NotFoundError {
  return new NotFoundError(
    "no-home",
    `There is no Reprise home at ${home}.`,
    `Check ${option("home")} and REPRISE_HOME, or start a new one with ${verb("agents.create", { name: slot("NAME"), provider: slot("PROVIDER") })}.`,
  );
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** Does not use mkdir's `recursive`: below /proc, where nothing can be created, Node never returns from it. */
async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  if (parent !== path && !(await isThere(parent))) await makeFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // An existing folder is fine; an existing file is reported on the first write.
    if (!(isSystemError(error) && error.code === "EEXIST")) throw error;
  }
}

/** The home, or its nearest existing parent, if that is not a folder. */
async function fileOnTheWay(path: string): Promise<string | null> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code);
  if (typeof found === "object") return found.isDirectory() ? null : path;
  const missing = found === "ENOENT" || found === "ENOTDIR";
  return missing && dirname(path) !== path ? fileOnTheWay(dirname(path)) : null;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error) => error.code !== "ENOENT",
  );
}

/** 64 random hex digits, created once; if several processes create them at the same time, one wins. */
async function readSecret(path: string): Promise<string> {
  const existing = await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  if (existing.length === 64) return existing;
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, randomBytes(32).toString("hex"), { mode: 0o600, flag: "wx" });
    if (existing === "") await linkOnce(draft, path);
    else await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, "utf8");
}

async function linkOnce(draft: string, path: string): Promise<void> {
  await link(draft, path).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

/** The named folder, REPRISE_HOME, or the state folder of the XDG standard. */
export function homeFolder(
  named: string | undefined,
  { env, cwd }: Pick<Engine, "env" | "cwd">,
): string {
  const chosen = named || env.REPRISE_HOME;
  if (chosen) return resolve(cwd, chosen);
  const state = env.XDG_STATE_HOME;
  // The XDG standard says that a relative path is to be ignored.
  if (state?.startsWith("/")) return join(state, "reprise");
  return join(env.HOME || homedir(), ".local", "state", "reprise");
}
