/** `backup`: writes everything that a home needs to continue its sessions to one file, while it is in use. */

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { BackupReport } from "@reprise/core/api/reprise";
import { actor, type Engine, recordAction } from "../engine.ts";
import { fileError, writeBackup } from "./backup-file.ts";

export async function backup(
  engine: Engine,
  path: string,
  { by }: { readonly by?: string } = {},
): Promise<BackupReport> {
  const { home, store, cwd } = engine;
  const file = resolve(cwd, path);
  const scratch = await mkdtemp(join(dirname(file), ".reprise-backup-")).catch((error) => {
    throw fileError(dirname(file), error);
  });
  try {
    const database = join(scratch, "reprise.db");
    const madeAt = engine.now();
    const { schema, sessions, turns } = await store.backup(database);
    const { bytes } = await writeBackup(file, database, {
      madeAt,
      home: await realpath(home.path),
      schema,
      sessions,
      turns,
      secret: home.secret,
    });
    await recordAction(engine, "home", {
      type: "home.backed-up",
      data: { file, sessions, turns, by: actor(engine, by) },
    });
    return { file, madeAt, schema, sessions, turns, bytes };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
