/** Reads a provider's files in a temporary folder, where they can do no harm. */

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { History } from "@reprise/core/session/history";
import { readOnce } from "@reprise/providers/files";
import type { Provider, ProviderFile } from "@reprise/providers/provider";
import { type Engine, sha256 } from "../engine.ts";

export interface Read {
  readonly history: History | "missing" | "unreadable";
  /** The files that the provider recognizes as the session's. */
  readonly owned: readonly string[];
}

export async function readInScratch(
  { home }: Engine,
  provider: Provider,
  id: string,
  files: readonly ProviderFile[],
): Promise<Read> {
  const place = await mkdtemp(join(home.path, "scratch-"));
  try {
    await provider.copyIn({ id, place }, files, join(place, "aside"));
    const handle = { id, place };
    const source = readOnce();
    const owned = (await provider.copyOut(handle, source)).map(({ name }) => name);
    return { history: await provider.observe(handle, sha256, source), owned };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
