/** `reprise workflow validate`: checks workflow files, and prints a line for each finding. */

import { readProviders } from "@reprise/engine/load-providers";
import type { Finding } from "@reprise/workflow/finding";
import type { Graph } from "@reprise/workflow/graph";
import { load } from "@reprise/workflow/load";
import { reportOf } from "@reprise/workflow/report";
import type { Cli } from "../cli.ts";
import { counted, findingCount, findingLine } from "../format/finding.ts";
import { readWorkflow } from "../input/workflow-file.ts";

export async function run(
  cli: Cli,
  files: readonly string[],
  { strict = false }: { readonly strict?: boolean },
): Promise<number> {
  // All files are read first, so that a missing one does not leave partial output.
  const texts: string[] = [];
  for (const file of files) texts.push((await readWorkflow(cli, file)).text);
  const { runners } = await readProviders(cli);
  const loaded = texts.map((text) => load(text, { runners }));
  const broken = await brokenFunctions(loaded.map(({ graph }) => graph));
  const results = files.map((file, at) => {
    const { graph, findings } = loaded[at]!;
    return { file, ...reportOf(graph, [...findings, ...broken[at]!], strict) };
  });
  if (cli.json) cli.document({ files: results });
  else
    for (const { file, ok, findings, nodes, edges } of results) {
      for (const finding of findings) cli.out.line(findingLine(cli.out, file, finding));
      const found = findingCount(findings);
      const result = ok
        ? [
            cli.out.paint("green", "ok"),
            counted(nodes, "node"),
            counted(edges, "edge"),
            ...(found === "" ? [] : [found]),
          ]
        : [cli.out.paint("red", found)];
      cli.out.line(`${file}: ${result.join(", ")}`);
    }
  return results.every(({ ok }) => ok) ? 0 : 2;
}

/** For each graph; the interpreter is loaded only if there is a function. */
async function brokenFunctions(graphs: readonly (Graph | null)[]): Promise<Finding[][]> {
  if (!graphs.some((graph) => graph?.nodes.some(({ type }) => type === "function")))
    return graphs.map(() => []);
  const { FunctionSandbox } = await import("@reprise/engine/run/work/function-sandbox");
  const { checkFunctions } = await import("@reprise/engine/run/work/check-functions");
  const sandbox = new FunctionSandbox();
  try {
    return await Promise.all(
      graphs.map((graph) => (graph ? checkFunctions(sandbox, graph) : Promise.resolve([]))),
    );
  } finally {
    sandbox.close();
  }
}
