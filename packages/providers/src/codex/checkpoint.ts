/**
 * Copies a thread's rollout out of codex's home and back. The databases beside it are left alone:
 * they only index rollouts, by absolute path, so the file goes back to exactly where it was.
 */

import { copyFile, mkdir, mkdtemp, open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Handle } from "@reprise/core/session/pin";
import type { ProviderFile } from "../provider.ts";
import { findRollout, findRollouts } from "./rollout.ts";

export async function copyOut(handle: Handle): Promise<ProviderFile[]> {
  const name = await findRollout(handle);
  if (name === undefined) return [];
  return [{ name, bytes: await readFile(join(handle.place, name)) }];
}

export async function copyIn(
  handle: Handle,
  files: readonly ProviderFile[],
  aside: string,
): Promise<void> {
  const found = await findRollouts(handle);
  if (found.length > 0) {
    await mkdir(aside, { recursive: true, mode: 0o700 });
    const kept = await mkdtemp(join(aside, "codex-"));
    for (const [index, name] of found.entries())
      await copyFile(join(handle.place, name), join(kept, `${index}-${basename(name)}`));
  }
  for (const { name, bytes } of files) await replaceFile(join(handle.place, name), bytes);
  const restored = files.map(({ name }) => name);
  for (const name of found)
    if (!restored.includes(name)) await rm(join(handle.place, name), { force: true });
}

/** Whole or not at all: there is no moment without the file, or with half of it. */
async function replaceFile(target: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const whole = `${target}.restored`;
  const file = await open(whole, "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(whole, target);
}
