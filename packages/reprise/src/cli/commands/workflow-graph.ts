/** `reprise workflow graph`: draws a workflow. */

import { readProviders } from "@reprise/engine/load-providers";
import type { GraphFormat } from "@reprise/workflow/graph-format";
import { load } from "@reprise/workflow/load";
import { render } from "@reprise/workflow/render";
import type { Cli } from "../cli.ts";
import { findingLine } from "../format/finding.ts";
import { inert } from "../format/text.ts";
import { readWorkflow } from "../input/workflow-file.ts";

export async function run(
  cli: Cli,
  file: string,
  { format = "text" }: { readonly format?: GraphFormat },
): Promise<number> {
  const { text } = await readWorkflow(cli, file);
  const { graph, findings } = load(text, { runners: (await readProviders(cli)).runners });
  if (graph === null) {
    const errors = findings.filter(({ severity }) => severity === "error");
    if (cli.json) cli.document({ file, findings: errors });
    for (const finding of errors) cli.err.line(findingLine(cli.err, file, finding));
    return 2;
  }
  if (cli.json) cli.document(graph);
  else cli.out.write(inert(render(graph, format)));
  return 0;
}
