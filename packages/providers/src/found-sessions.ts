/** Lists the sessions in the files of an agent's program. Only the beginning of a file is read: it may be long. */

import { open, stat } from "node:fs/promises";
import type { FoundSession } from "./provider.ts";

/** A session's first prompt comes after the program's own instructions, which take up to 40 KB (codex 0.166). */
export const headBytes = 256 * 1024;
/** How many files are looked at side by side. */
const width = 64;

/** Which sessions are listed; `folder: null` selects all. */
export interface SessionListing {
  readonly folder: string | null;
  readonly limit: number;
}

/** Null for a file that is not a session which a person can resume. */
export type ReadHead = (
  path: string,
  head: Uint8Array,
) => Promise<Omit<FoundSession, "usedAt"> | null>;

/** What `read` finds in the beginning of the files, the last written first. A file that cannot be read is left out. */
export async function foundSessions(
  paths: readonly string[],
  { folder, limit }: SessionListing,
  read: ReadHead,
): Promise<FoundSession[]> {
  const found = new Map<string, FoundSession>();
  const files = await newestFirst(paths);
  for (let start = 0; start < files.length && found.size < limit; start += width) {
    const heads = await Promise.all(
      files.slice(start, start + width).map(async ({ path, usedAt }) => {
        const head = await readHead(path).catch(() => null);
        const session = head && (await read(path, head));
        return session && { ...session, usedAt };
      }),
    );
    for (const session of heads)
      if (
        session !== null &&
        (folder === null || session.folder === null || session.folder === folder) &&
        found.size < limit &&
        !found.has(session.id)
      )
        found.set(session.id, session);
  }
  return [...found.values()];
}

interface WrittenFile {
  readonly path: string;
  readonly usedAt: number;
}

async function newestFirst(paths: readonly string[]): Promise<WrittenFile[]> {
  const files = await Promise.all(
    paths.map(async (path) => {
      const found = await stat(path).catch(() => null);
      return found?.isFile() ? [{ path, usedAt: Math.floor(found.mtimeMs) }] : [];
    }),
  );
  return files.flat().sort((one, other) => other.usedAt - one.usedAt);
}

/** The whole lines at the beginning of a file. */
async function readHead(path: string): Promise<Uint8Array> {
  await using file = await open(path);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return uptoLastLine(buffer.subarray(0, bytesRead));
}

/** Without a last line that is not whole. */
export function uptoLastLine(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
}
