/** Programs of agents: where they are, and what they say about themselves. */

import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { ProbeCache, ProviderAgent } from "./provider.ts";

/** A path, or a name that is looked for on the PATH; undefined when there is no such program. */
export function findProgram(name: string, path = ""): string | undefined {
  if (name.includes("/")) return executable(name);
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => executable(join(folder, name)))
    .find((file) => file !== undefined);
}

/** What `look` finds out about one build of a program; kept while its size and time are the same. */
export async function examine<T extends object>(
  binary: string,
  cache: ProbeCache,
  look: () => Promise<T>,
): Promise<T> {
  const { size, mtimeMs: time } = await stat(binary);
  const cached = (await cache.read(binary)) as (T & Build) | null | undefined;
  if (cached?.size === size && cached.time === time) return cached;
  const found = await look();
  await cache.write(binary, { size, time, ...found });
  return found;
}

interface Build {
  readonly size: number;
  readonly time: number;
}

/** What it prints; nothing when it fails, as an older one does on an option that it does not know. */
export async function ask(binary: string, args: string[], { env }: ProviderAgent): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(binary, args, { env: { ...env } });
    return stdout;
  } catch {
    return "";
  }
}

function executable(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch {
    return undefined;
  }
}
