/** `validate`: checks a workflow's text, without looking at this machine. */

import { parse } from "@reprise/core/api/parse";
import type { ValidateWorkflow, WorkflowReport } from "@reprise/core/api/reprise";
import { validateWorkflowSchema } from "@reprise/core/api/run-schemas";
import { reportOf } from "@reprise/workflow/report";
import type { Engine } from "../engine.ts";
import { loadGraph } from "./graphs.ts";
import { checkFunctions } from "./work/check-functions.ts";

export async function validateWorkflow(
  engine: Engine,
  input: ValidateWorkflow,
): Promise<WorkflowReport> {
  const { source, strict } = parse(validateWorkflowSchema(), input);
  const { legacyPersistentResumes } = engine.settings;
  const loaded = await loadGraph({
    source,
    legacyPersistentResumes,
    runners: engine.providers.runners,
  });
  if (!("graph" in loaded)) return reportOf(null, loaded.findings, strict);
  const broken = await checkFunctions(await engine.functions(), loaded.graph);
  return reportOf(loaded.graph, [...loaded.warnings, ...broken], strict);
}
