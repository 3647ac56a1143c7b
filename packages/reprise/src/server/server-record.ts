/**
 * `server.json` of a home: the address of its server. A record can be out of date, so it counts only if its process is
 * alive and the address answers as the server of this home.
 */

import { randomBytes } from "node:crypto";
import { readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import { keyedDigest } from "@reprise/engine/engine";
import { canSee, isAlive } from "@reprise/engine/hosts";
import { z } from "zod";
import { httpFetch } from "../http-fetch.ts";
import { lockHome } from "./home-lock.ts";

export interface ServerRecord {
  readonly process: ProcessIdentity;
  readonly url: string;
  readonly startedAt: number;
  readonly version: string;
  /** Address that browsers use, if it differs. */
  readonly publicUrl?: string;
}

/** `gone`: its process has ended. `silent`: its process is or may be alive, but does not answer as expected. */
export type FoundServer =
  | { readonly state: "none" }
  | { readonly state: "gone" | "silent" | "answers"; readonly record: ServerRecord };

const recordSchema = z.object({
  process: z.object({
    host: z.string(),
    hostId: z.string().exactOptional(),
    machine: z.string().exactOptional(),
    namespace: z.string().exactOptional(),
    boot: z.string(),
    pid: z.int(),
    start: z.string(),
  }),
  url: z.url({ protocol: /^http$/ }),
  startedAt: z.number(),
  version: z.string(),
  publicUrl: z.string().exactOptional(),
});

/** How long a server may take for its first answer, in milliseconds. */
const patience = 10_000;

const first = "server.json";

/** The file for the record of a server that is not the first of its home. */
export function besideRecord(url: string): string {
  return `server-${new URL(url).port}.json`;
}

/** Identifies a home by its path, so that a copy of it is another home. */
export async function homeId(home: string): Promise<string> {
  const secret = await readFile(join(home, "secret"), "utf8");
  return keyedDigest(secret)(`home:${await realpath(home)}`);
}

/** Writes the record atomically, and returns the name of its file. */
export async function writeRecord(
  home: string,
  record: ServerRecord,
  file = first,
): Promise<string> {
  const draft = join(home, `${file}.${randomBytes(6).toString("hex")}`);
  await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  await rename(draft, join(home, file));
  return file;
}

export async function removeRecord(home: string, file = first): Promise<void> {
  await rm(join(home, file), { force: true });
}

/** Null when there is no valid record. */
export async function readRecord(home: string, file = first): Promise<ServerRecord | null> {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(await readFile(join(home, file), "utf8")));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** `file`: the record of another server than the first. */
export async function findServer(home: string, file?: string): Promise<FoundServer> {
  const record = await readRecord(home, file);
  if (record === null) return { state: "none" };
  if (!isAlive(record.process)) return { state: "gone", record };
  if (await answers(home, record)) return { state: "answers", record };
  // For a process that cannot be seen from here, such as one of a recreated container, the lock decides.
  return { state: canSee(record.process) || isLocked(home) ? "silent" : "gone", record };
}

function isLocked(home: string): boolean {
  const unlock = lockHome(home);
  unlock?.();
  return unlock === null;
}

async function answers(home: string, { url, startedAt }: ServerRecord): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(patience);
    const response = await httpFetch(`${url}/v1/health`, { signal });
    const health = JSON.parse(await response.text()) as Record<string, unknown>;
    return (
      health.status === "ok" &&
      health.startedAt === startedAt &&
      health.home === (await homeId(home))
    );
  } catch {
    return false;
  }
}
