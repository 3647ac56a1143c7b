/** A folder with a package.json and a lockfile of its own, whose packages are installed when they are needed. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

const sqliteBusy = 5;

/**
 * Installs what the lockfile names, unless that is already there, and runs no script of a package. Several
 * callers may do so at once. What is wrong, or null.
 */
export async function installPinned(folder: string): Promise<string | null> {
  if (await isInstalled(folder)) return null;
  const release = await takeLock(join(folder, ".cache", "install-lock"));
  try {
    return (await isInstalled(folder)) ? null : await install(folder);
  } finally {
    release();
  }
}

async function isInstalled(folder: string): Promise<boolean> {
  const found = await readFile(markerOf(folder), "utf8").catch(() => "");
  return found === (await lockHash(folder));
}

function markerOf(folder: string): string {
  return join(folder, "node_modules", ".reprise-installed");
}

async function lockHash(folder: string): Promise<string> {
  const lockfile = await readFile(join(folder, "package-lock.json"));
  return createHash("sha256").update(lockfile).digest("hex");
}

/** Runs npm on this Node; what is wrong, or null. */
async function install(folder: string): Promise<string | null> {
  const hash = await lockHash(folder);
  const child = spawn("npm", ["ci", "--ignore-scripts", "--include=optional"], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<string | null>((resolve) => {
    child.once("error", (error) => resolve(`npm could not be started: ${error.message}`));
    child.once("close", (code) => resolve(code === 0 ? null : `npm ci ended with ${code}`));
  });
  const said = await text(child.stderr);
  const problem = await ended;
  if (problem !== null) return `${problem}: ${said.trim().split("\n").at(-1)}`;
  await writeFile(markerOf(folder), hash);
  return null;
}

/** The lock of a database: the system frees it when its owner dies. */
async function takeLock(file: string): Promise<() => void> {
  await mkdir(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  for (;;) {
    try {
      database.exec("BEGIN EXCLUSIVE");
      return () => database.close();
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error;
    }
    await setTimeout(100);
  }
}
