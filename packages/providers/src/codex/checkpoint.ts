/**
 * Copies a thread's rollouts out of codex's home and back, with the rollouts that it was forked from. The databases
 * beside them are left alone: they only index rollouts by absolute path, so each file goes back to where it was.
 */

import { join } from "node:path";
import type { Handle } from "@reprise/core/session/pin";
import { putBack, readOnce } from "../files.ts";
import type { FileSource, ProviderFile } from "../provider.ts";
import { beginsWith, readLineage } from "./lineage.ts";
import {
  findRollouts,
  findThread,
  newest,
  type RolloutFile,
  rolloutFile,
} from "./rollout-files.ts";

/** All rollouts of the thread, including rewound ones, and the part of a fork's parents that it needs. */
export async function copyOut(
  handle: Handle,
  source: FileSource = readOnce(),
): Promise<ProviderFile[]> {
  const { id, place } = handle;
  const thread = await findThread(handle, source);
  const head = newest(thread);
  const lineage = head && (await readLineage(place, head, source));
  if (!lineage) return [];
  const foreign = lineage.filter((file) => file.thread !== id);
  const segments = Map.groupBy(thread, ({ segment }) => segment).values();
  const own: ProviderFile[] = [];
  for (const { name } of [...segments].map(newest).filter((file) => file !== undefined)) {
    const bytes = await source.readIfThere(join(place, name));
    if (bytes) own.push({ name, bytes });
  }
  return [...foreign.map(({ name, bytes }) => ({ name, bytes })), ...own];
}

/**
 * The rollouts that a thread was forked from may have grown since, so they are put back only where they are missing.
 * Codex continues the newest rollout, at the path that it remembers: if a rewind has begun a newer one than those of
 * the checkpoint, the checkpoint's newest is written to that path.
 */
export async function copyIn(
  handle: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  const { id, place } = handle;
  const own = files.flatMap((file) => {
    const named = rolloutFile(file.name);
    return named?.thread === id ? { ...file, ...named } : [];
  });
  const head = newest(own);
  if (head === undefined) return;
  const found = await findRollouts(handle);
  const isNewer = ({ segment }: RolloutFile) => segment > head.segment;
  const target = newest(found.filter(isNewer))?.name ?? head.name;
  const needed: ProviderFile[] = [{ name: target, bytes: head.bytes }];
  for (const file of files)
    if (file.name !== target && !(await beginsWith(place, file))) needed.push(file);
  // Other copies of the files that are put back, and segments that codex would take for newer.
  const isCopy = ({ segment }: RolloutFile) => own.some((file) => file.segment === segment);
  const others = found
    .filter((file) => isNewer(file) || isCopy(file))
    .map(({ name }) => name)
    .filter((name) => name !== target && !files.some((file) => file.name === name));
  await putBack(place, needed, others, aside);
}
