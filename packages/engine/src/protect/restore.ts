/** Writes the files of a kept session back, so that its program, and Reprise, can continue it. */

import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { parse } from "@reprise/core/api/parse";
import { restoreKeptSchema } from "@reprise/core/api/protect-schemas";
import type { RestoredFile, RestoredSession, RestoreKept } from "@reprise/core/api/reprise";
import { RefusedError, TerminalError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { keep } from "@reprise/providers/files";
import type { KeptFiles, KeptPart } from "@reprise/store/contract/kept";
import { actor, type Engine, sha256 } from "../engine.ts";
import { requireOutsideTurn } from "../outside-turn.ts";
import { findKept } from "./find-kept.ts";

type File = KeptFiles["files"][number];

export async function restoreKept(engine: Engine, input: RestoreKept): Promise<RestoredSession> {
  requireOutsideTurn("restore a session");
  const {
    force = false,
    earlier = false,
    dryRun = false,
    by,
    ...wanted
  } = parse(restoreKeptSchema(), input);
  const found = await findKept(engine, wanted);
  const kept = await engine.store.readKept({ kept: found.kept, earlier });
  const files = kept?.files ?? [];
  const { id, provider, place, folder, prompt } = found;
  const planned: { file: File; path: string; action: RestoredFile["action"] }[] = [];
  for (const file of files) {
    const path = join(place, file.name);
    if (relative(place, path).startsWith("..")) throw new Error(`${path} is outside of ${place}.`);
    planned.push({ file, path, action: await actionFor(path, file.content) });
  }
  const differing = planned.find(({ action }) => action === "replaced");
  if (differing && !force && !dryRun) throw differs(differing.path);
  const writing = planned.filter(({ action }) => action !== "same");
  const report = {
    ...{ id, provider, place, folder, prompt, aside: null, changed: false },
    files: planned.map(({ path, action }) => ({ path, action })),
  };
  if (dryRun || writing.length === 0) return report;
  const at = engine.now();
  const aside = engine.home.found(`restore-${found.kept.slice(0, 8)}-${at}`);
  await writeAll(engine, writing, aside);
  await engine.store.recordEvent({
    stream: `protection:${found.host}`,
    event: { type: "protection.restored", data: { provider, id, by: actor(engine, by) } },
    at,
  });
  return { ...report, aside: differing ? aside : null, changed: true };
}

/** The file may have grown since it was kept. */
async function actionFor(
  path: string,
  content: readonly KeptPart[],
): Promise<RestoredFile["action"]> {
  try {
    await using file = await open(path);
    for (const { start, size, sha256: digest } of content) {
      const bytes = Buffer.alloc(size);
      const { bytesRead } = await file.read(bytes, 0, size, start);
      if (bytesRead < size || sha256(bytes) !== digest) return "replaced";
    }
    return "same";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return "written";
    if (code === "EISDIR") return "replaced";
    throw error;
  }
}

/** Writes all files beside their places before it moves the first one there. */
async function writeAll(
  { store }: Engine,
  files: readonly { readonly file: File; readonly path: string }[],
  aside: string,
): Promise<void> {
  const beside = (path: string) => `${path}.restoring`;
  try {
    for (const { file, path } of files) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await using target = await open(beside(path), "w", 0o600);
      for (const { sha256: digest } of file.content) {
        const bytes = await store.readKeptBytes(digest);
        if (sha256(bytes) !== digest) throw damaged(path);
        await target.writeFile(bytes);
      }
      await target.sync();
    }
    for (const { path } of files) {
      await keep(path, aside);
      await rename(beside(path), path);
    }
  } finally {
    for (const { path } of files) await rm(beside(path), { force: true });
  }
}

function differs(path: string): RefusedError {
  return new RefusedError(
    "file-differs",
    `The file ${path} exists and does not begin with what was kept of it.`,
    `See what would be written with ${option("dryRun")}, or replace the file with ${option("force")}; it is kept aside. Nothing was changed.`,
  );
}

function damaged(path: string): TerminalError {
  return new TerminalError(
    "kept-damaged",
    `The copy of ${path} in the database is damaged.`,
    `Try the copy from before its program last rewrote the file with ${option("earlier")}, or restore a backup of the home. Nothing was changed.`,
  );
}
