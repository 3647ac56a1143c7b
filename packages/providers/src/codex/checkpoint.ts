/**
 * Copies a thread's rollout out of codex's home and back, with what it came from if it is a fork. The
 * databases beside it are left alone: they only index rollouts, by absolute path, so the file goes back
 * to exactly where it was.
 */

import type { Handle } from "@reprise/core/session/pin";
import { putBack } from "../files.ts";
import type { ProviderFile } from "../provider.ts";
import { beginsWith, readLineage } from "./lineage.ts";
import { findRollouts } from "./rollout-files.ts";

export async function copyOut(handle: Handle): Promise<ProviderFile[]> {
  const lineage = await readLineage(handle);
  return lineage?.map(({ name, bytes }) => ({ name, bytes })) ?? [];
}

/** What a fork came from may have gone on since: it is put back only where it is not there any more. */
export async function copyIn(
  handle: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  const own = ({ name }: ProviderFile) => name.endsWith(`-${handle.id}.jsonl`);
  const needed: ProviderFile[] = [];
  for (const file of files)
    if (own(file) || !(await beginsWith(handle.place, file))) needed.push(file);
  await putBack(handle.place, needed, await findRollouts(handle), aside);
}
