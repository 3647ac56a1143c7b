/** `reprise rerun`: continues a run, from what failed or from a node. */

import { readFile } from "node:fs/promises";
import { userName } from "@reprise/engine/engine";
import type { Cli } from "../cli.ts";
import { driveRun } from "../run-drive.ts";

interface RerunOptions {
  readonly from?: string;
  readonly fromStart?: boolean;
  readonly by?: string;
  readonly jsonl?: boolean;
}

export function run(
  cli: Cli,
  id: string,
  { from, fromStart = false, by, jsonl = false }: RerunOptions,
): Promise<number> {
  return driveRun(cli, { jsonl }, async (reprise, { signal, onResumed }) => {
    const { id: run, path, source } = await reprise.runs.show(id);
    await remarkChangedFile(cli, path, source);
    await onResumed(run);
    return reprise.runs.rerun(
      { run, from: from ?? null, fromStart, by: by ?? userName(cli.env) },
      signal && { signal },
    );
  });
}

/** A run keeps the text that it was started with, so a later change of the file has no effect on it. */
async function remarkChangedFile(cli: Cli, path: string | null, source: string): Promise<void> {
  const text = path === null ? null : await readFile(path, "utf8").catch(() => null);
  if (text === null || text === source) return;
  cli.remark(
    `${path} has changed since the run started. The rerun uses the text from then; to use the new one, start a new run: reprise run ${path}`,
  );
}
