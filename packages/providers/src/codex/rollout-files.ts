/**
 * Finds the rollouts of a codex thread in its home. A rewind in codex's own screen begins a new segment,
 * `rollout-<time>-<thread>_<segment>.jsonl`. Codex (0.166) always continues the newest one.
 */

import { basename, join } from "node:path";
import type { Handle } from "@reprise/core/session/pin";
import { readOnce } from "../files.ts";
import type { FileSource } from "../provider.ts";

export interface RolloutFile {
  /** Relative to the home. */
  readonly name: string;
  readonly thread: string;
  /** The id by which a rewind or a fork refers to this file; for the first file, the thread's id. */
  readonly segment: string;
}

/** The rollout that codex continues. */
export async function findRollout(
  handle: Handle,
  source?: FileSource,
): Promise<RolloutFile | undefined> {
  return newest(await findThread(handle, source));
}

/** The thread's rollouts in the folders of its days, where codex writes them; if there are none, in any folder. */
export async function findThread(
  handle: Handle,
  source: FileSource = readOnce(),
): Promise<RolloutFile[]> {
  const [, first] = daysOf(handle.id);
  const recent = first === undefined ? [] : await rolloutsSince(handle.place, first, source);
  const found = recent.filter(({ thread }) => thread === handle.id);
  return found.length > 0 ? found : findRollouts(handle, source);
}

/** All of the thread's rollouts, in any folder of the home's sessions. */
export async function findRollouts(
  { id, place }: Handle,
  source: FileSource = readOnce(),
): Promise<RolloutFile[]> {
  return (await rolloutsIn(place, "sessions", true, source)).filter(({ thread }) => thread === id);
}

/** The rollout with this id: a thread's first one or a segment. */
export async function findSegment(
  place: string,
  id: string,
  source: FileSource,
): Promise<RolloutFile | undefined> {
  for (const day of daysOf(id)) {
    const found = await rolloutsIn(place, join("sessions", day), false, source);
    const named = found.find(({ segment }) => segment === id);
    if (named) return named;
  }
  return (await rolloutsIn(place, "sessions", true, source)).find(({ segment }) => segment === id);
}

/** Ids start with their time. Among copies, the one in the folder of its day counts, since codex remembers that one. */
export function newest<F extends RolloutFile>(files: readonly F[]): F | undefined {
  return files.reduce<F | undefined>((best, file) => {
    if (best === undefined || file.segment > best.segment) return file;
    return file.segment === best.segment && strayed(file) < strayed(best) ? file : best;
  }, undefined);
}

export function rolloutFile(name: string): RolloutFile | null {
  const [, thread, segment] = named.exec(basename(name)) ?? [];
  return thread === undefined ? null : { name, thread, segment: segment ?? thread };
}

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
// A segment with an unknown kind of name must not be overlooked: it counts as the newest.
const named = new RegExp(`^rollout-.*?(${uuid})(?:_(.+))?\\.jsonl$`);

async function rolloutsIn(
  place: string,
  folder: string,
  recursive: boolean,
  source: FileSource,
): Promise<RolloutFile[]> {
  const entries = await source.listIfThere(join(place, folder), { recursive });
  return entries.flatMap((entry) => {
    const within = entry.parentPath.slice(join(place, folder).length);
    return rolloutFile(join(folder, within, entry.name)) ?? [];
  });
}

/** The rollouts in the day folders from `first` on, and beside those folders. */
async function rolloutsSince(
  place: string,
  first: string,
  source: FileSource,
): Promise<RolloutFile[]> {
  let folders = [""];
  for (let depth = 0; depth < 3; depth += 1)
    folders = (
      await Promise.all(
        folders.map(async (folder) => {
          const entries = await source.listIfThere(join(place, "sessions", folder));
          return entries.map(({ name }) => join(folder, name));
        }),
      )
    )
      .flat()
      .filter((path) => /^[\d/]+$/.test(path) && path >= first.slice(0, path.length));
  const found = await Promise.all([
    rolloutsIn(place, "sessions", false, source),
    ...folders.map((folder) => rolloutsIn(place, join("sessions", folder), false, source)),
  ]);
  return found.flat();
}

/** 0 in the folder of its day; the higher, the further it is from where codex writes it. */
function strayed({ name, segment }: RolloutFile): number {
  const days = daysOf(segment);
  const at = days.findIndex((day) => name.startsWith(join("sessions", day)));
  return at === -1 ? days.length : at;
}

/** An id starts with its time (UUIDv7), but folders are by local date: the UTC day, the day before or the day after. */
function daysOf(id: string): string[] {
  const time = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
  if (Number.isNaN(time)) return [];
  const hours = 3_600_000;
  return [time, time - 24 * hours, time + 24 * hours].map((at) =>
    new Date(at).toISOString().slice(0, 10).replaceAll("-", "/"),
  );
}
