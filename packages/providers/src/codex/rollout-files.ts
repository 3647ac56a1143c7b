/** Where the rollouts of a codex thread are in its home. */

import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Handle } from "@reprise/core/session/pin";

/**
 * The thread's rollout, relative to the home; the one in the folder of its day if somebody copied it,
 * because that is the path that codex remembers.
 */
export async function findRollout(handle: Handle): Promise<string | undefined> {
  for (const day of daysOf(handle.id)) {
    const found = await rolloutsIn(handle, join("sessions", day), false);
    if (found[0]) return found[0];
  }
  return (await findRollouts(handle))[0];
}

/** All of the thread's rollouts, in whatever folder of the home's sessions. */
export function findRollouts(handle: Handle): Promise<string[]> {
  return rolloutsIn(handle, "sessions", true);
}

async function rolloutsIn({ id, place }: Handle, folder: string, recursive: boolean) {
  const names = await readdir(join(place, folder), { recursive }).catch(nothing);
  return names
    .filter((name) => basename(name).startsWith("rollout-") && name.endsWith(`-${id}.jsonl`))
    .map((name) => join(folder, name));
}

/** An id begins with its time in milliseconds (UUIDv7); the folder is of the local day. */
function daysOf(id: string): string[] {
  const time = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
  if (Number.isNaN(time)) return [];
  const hours = 3_600_000;
  return [time, time - 24 * hours, time + 24 * hours].map((at) =>
    new Date(at).toISOString().slice(0, 10).replaceAll("-", "/"),
  );
}

function nothing(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
