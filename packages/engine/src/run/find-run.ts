/** Finds a run by its id or the beginning of one. */

import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import type { Run } from "@reprise/store/contract/runs";
import type { Engine } from "../engine.ts";

export async function findRun({ store }: Engine, wanted: string): Promise<Run> {
  const exact = await store.readRun(wanted);
  if (exact) return exact;
  const [id, another] = wanted.length >= 4 ? await store.findRuns(wanted, 2) : [];
  if (another !== undefined)
    throw new UsageError(
      "ambiguous-run",
      `Several runs begin with ${wanted}.`,
      "Give more of the id.",
    );
  const run = id === undefined ? null : await store.readRun(id);
  if (run) return run;
  throw new NotFoundError(
    "no-run",
    `There is no run ${wanted}.`,
    `List the runs with ${verb("runs.list")}.`,
  );
}
