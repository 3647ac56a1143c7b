/**
 * Copies a thread's rollout out of codex's home and back. The databases beside it are left alone:
 * they only index rollouts, by absolute path, so the file goes back to exactly where it was.
 */

import type { Handle } from "@reprise/core/session/pin";
import { putBack, readFiles } from "../files.ts";
import type { ProviderFile } from "../provider.ts";
import { findRollout, findRollouts } from "./rollout.ts";

export async function copyOut(handle: Handle): Promise<ProviderFile[]> {
  const name = await findRollout(handle);
  return name === undefined ? [] : readFiles(handle.place, [name]);
}

export async function copyIn(
  handle: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  await putBack(handle.place, files, await findRollouts(handle), aside);
}
