/** The home: the folder with everything Reprise keeps, readable only by its owner; it is checked before it is used. */

import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
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
import { parseStoreAddress, withoutPassword } from "./store-address.ts";

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

// Checks a home before anything in it is used. Another user who can write to the folder, or to a file that it
// links to, could make Reprise start programs. So files of other users and symbolic links are refused, and
// permissions of other users are removed.
// /

const databases = ["reprise.db", "server.lock"];
const files = [
  ...databases.flatMap((name) => [name, `${name}-wal`, `${name}-shm`]),
  ...["secret", "host", "token", "store.json", "server.json", "server.log", "server.err"],
];
/** Permissions of the group and of all others. */
const others = 0o077;

/**
 * @returns a sentence for the user if the folder was open to others, otherwise null.
 * @throws DeniedError `home-foreign`, `home-link`.
 */
export function checkHome(home: string): string | null {
  const found = look(home, statSync);
  // Opening the home reports a path that is not a folder.
  if (!found?.isDirectory()) return null;
  requireOwn(home, found);
  const mode = found.mode & 0o777;
  if ((mode & others) !== 0) chmodSync(home, mode & ~others);
  for (const name of files) checkFile(join(home, name));
  if ((mode & others) === 0) return null;
  return `The home ${home} was open to other users (mode ${mode.toString(8).padStart(4, "0")}); their permissions were removed.`;
}

function checkFile(file: string): void {
  const found = look(file, lstatSync);
  if (found === null) return;
  if (found.isSymbolicLink())
    throw new DeniedError(
      "home-link",
      `${file} is a symbolic link, which Reprise does not follow in a home.`,
      "Check where it leads, then replace it with the file itself, or remove it.",
    );
  requireOwn(file, found);
  if (found.isFile() && (found.mode & others) !== 0) chmodSync(file, found.mode & 0o700);
}

function requireOwn(path: string, { uid }: Stats): void {
  const own = process.getuid?.() ?? uid;
  if (uid === own) return;
  throw new DeniedError(
    "home-foreign",
    `${path} belongs to user ${uid}, but Reprise runs as user ${own}.`,
    `Run Reprise as its owner, or choose another home with ${option("home")} or REPRISE_HOME.`,
  );
}

/** Null if it does not exist or cannot be read. */
function look(path: string, stat: (path: string) => Stats): Stats | null {
  try {
    return stat(path);
  } catch {
    return null;
  }
}

/** `store.json` of a home: the address of the database that has its sessions, without a password. */
export function storeRecordIn(home: string): string {
  return join(home, "store.json");
}

/**
 * The address of the home's database; null for a home with a database of its own.
 *
 * @throws StoreError `store-record` when the file cannot be read: without it the sessions of the home are unknown.
 */
export function readStoreRecord(home: string): string | null {
  const file = storeRecordIn(home);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw unusable(file, String(code), error);
  }
  try {
    const { url } = JSON.parse(text) as { url: string };
    return parseStoreAddress(String(url)).url;
  } catch (error) {
    throw unusable(file, "it has no valid address", error);
  }
}

/** Whether the home's database is on a server, so that several servers of the home can use it. */
export function isShared(home: string): boolean {
  return readStoreRecord(home) !== null;
}

/** Writes the record atomically, without the password of the address. */
export function writeStoreRecord(home: string, url: string): void {
  const file = storeRecordIn(home);
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  const record = { url: withoutPassword(url) };
  try {
    writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function unusable(file: string, why: string, cause: unknown): StoreError {
  return new StoreError(
    "store-record",
    `The file ${file}, which names the database of the home, cannot be used (${why}).`,
    `Write the address into it again, without a password: {"url": "postgres://user@host:5432/database"}`,
    { cause },
  );
}
