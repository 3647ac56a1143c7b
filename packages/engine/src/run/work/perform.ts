/** Passes work to the worker of its kind. */

import type { Work } from "@reprise/core/workflow/run/command";
import type { WorkContext, WorkEnd, Workers } from "./work.ts";

export async function perform(
  workers: Workers,
  context: WorkContext,
  work: Work,
): Promise<WorkEnd> {
  if ("session" in work) return workers.agent(context, work);
  if ("script" in work) return workers.shell(context, work);
  if ("path" in work) return workers.workdir(context, work);
  return workers.function(context, work);
}
