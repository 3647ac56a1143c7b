/** Puts a provider session's files in place, and undoes that if a later step fails. */

import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RefusedError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { HistoryState } from "@reprise/core/session/decision";
import type { Pin } from "@reprise/core/session/pin";
import { readFiles, readOnce } from "@reprise/providers/files";
import type { FileSource, Provider, ProviderFile } from "@reprise/providers/provider";
import { type Engine, newId } from "../engine.ts";
import { judgeFound, readHistory } from "../turn/checkpoint.ts";

interface Placed {
  readonly pin: Pin;
  readonly files: readonly ProviderFile[];
}

/**
 * Writes the files, checks that the provider's history then matches the pin, and calls `then`. Existing files
 * are kept aside and restored if any step fails.
 * @throws RefusedError if the session already has another history, unless `replace` is set.
 */
export async function placeFiles(
  engine: Engine,
  provider: Provider,
  key: string,
  { pin, files }: Placed,
  then: () => Promise<void>,
  {
    replace = false,
    expected = "same",
  }: { readonly replace?: boolean; readonly expected?: HistoryState["state"] } = {},
): Promise<void> {
  const { handle } = pin;
  const aside = join(engine.home.found(key), newId());
  const state = async (source: FileSource) =>
    judgeFound(pin, await readHistory(provider, pin, source), "none").state;
  const found = readOnce();
  const own = await provider.copyOut(handle, found);
  if (own.length > 0 && !replace) {
    if ((await state(found)) !== "same") throw occupied(provider, pin);
    return then();
  }
  const names = files.map(({ name }) => name);
  const before = [...own, ...(await readFiles(handle.place, names, found))];
  try {
    await provider.copyIn(handle, files, aside);
    if ((await state(readOnce())) !== expected) throw notTaken(provider, pin);
    await then();
  } catch (error) {
    await takeBack(handle.place, names, before);
    throw error;
  }
}

/** Restores the previous state: removes new files and rewrites the old ones. */
async function takeBack(
  place: string,
  names: readonly string[],
  before: readonly ProviderFile[],
): Promise<void> {
  for (const name of names)
    if (!before.some((file) => file.name === name)) await rm(join(place, name), { force: true });
  for (const { name, bytes } of before) await writeFile(join(place, name), bytes, { mode: 0o600 });
}

function occupied({ manifest: { name } }: Provider, { handle }: Pin): RefusedError {
  return new RefusedError(
    "session-occupied",
    `Another ${name} session ${handle.id} already exists in ${handle.place}.`,
    `Use an agent with its own home, or export with ${option("transcriptOnly")}.`,
  );
}

function notTaken({ manifest: { name } }: Provider, { handle }: Pin): RefusedError {
  return new RefusedError(
    "files-not-taken",
    `The files of the ${name} session ${handle.id} could not be written to ${handle.place}.`,
    "Check that the folder is writable. Nothing was changed.",
  );
}
