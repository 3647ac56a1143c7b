/** Counts the bytes that this process reads from files, hashes and compresses. */

import crypto from "node:crypto";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import zlib from "node:zlib";

export type Counts = Readonly<Record<"read" | "hashed" | "compressed", number>>;

const none: Counts = { read: 0, hashed: 0, compressed: 0 };
let counts = none;

/** What was counted since the last call. */
export function takeCounts(): Counts {
  const taken = counts;
  counts = none;
  return taken;
}

/** Replaces the functions of Node through which a provider's files are read, hashed and compressed. */
export async function count(): Promise<void> {
  const handle = await fs.open(import.meta.filename);
  await handle.close();
  const file = Object.getPrototypeOf(handle);
  const hashing = Object.getPrototypeOf(crypto.createHash("sha256"));
  const { read } = file;
  const { readFile } = fs;
  const { hash } = crypto;
  const { update } = hashing;
  const { zstdCompressSync, zstdCompress } = zlib;
  Object.assign(file, {
    async read(...args: unknown[]) {
      const result = await read.apply(this, args);
      add("read", result.bytesRead);
      return result;
    },
  });
  Object.assign(hashing, {
    update(data: Data, ...rest: unknown[]) {
      add("hashed", sizeOf(data));
      return update.call(this, data, ...rest);
    },
  });
  Object.assign(fs, {
    async readFile(...args: Parameters<typeof readFile>) {
      const content = await readFile(...args);
      add("read", sizeOf(content));
      return content;
    },
  });
  Object.assign(crypto, {
    hash(algorithm: string, data: Data, ...rest: never[]) {
      add("hashed", sizeOf(data));
      return hash(algorithm, data, ...rest);
    },
  });
  Object.assign(zlib, {
    zstdCompressSync(data: Data, ...rest: never[]) {
      add("compressed", sizeOf(data));
      return zstdCompressSync(data, ...rest);
    },
    zstdCompress(data: Data, ...rest: never[]) {
      add("compressed", sizeOf(data));
      return zstdCompress(data, ...(rest as never as [never]));
    },
  });
  syncBuiltinESMExports();
}

type Data = string | NodeJS.ArrayBufferView;

function sizeOf(data: Data): number {
  return typeof data === "string" ? Buffer.byteLength(data) : data.byteLength;
}

function add(kind: keyof Counts, bytes: number): void {
  counts = { ...counts, [kind]: counts[kind] + bytes };
}
