/** `reprise show`: shows a run with all of its nodes, or one of its outputs. */

import type { RunDetail } from "@reprise/core/api/reprise";
import { NotFoundError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import type { Cli } from "../cli.ts";
import { deniedLines, executionLines, impliedLines, runHeadline } from "../format/run.ts";
import { fields } from "../format/table.ts";
import { ago, inert, oneLine } from "../format/text.ts";
import { printError } from "../report.ts";
import { printWarnings } from "../run-warnings.ts";

export async function run(
  cli: Cli,
  id: string,
  { output }: { readonly output?: string },
): Promise<number> {
  const detail = await cli.withReprise((reprise) => reprise.runs.show(id));
  if (output !== undefined) return printOutput(cli, detail, output);
  if (cli.json) {
    cli.document(detail);
    return 0;
  }
  const { out } = cli;
  const now = cli.now();
  out.line(runHeadline(out, detail, now));
  const entries = Object.entries(detail.inputs);
  const facts = fields(out, [
    ["file", detail.path],
    ["folder", detail.folder],
    ["started", ago(detail.startedAt, now)],
    ...entries.map(([name, value]) => [`input ${name}`, oneLine(asText(value))] as const),
    ...detail.sessions.map((key) => ["session", key] as const),
  ]);
  for (const line of facts) out.line(line);
  out.line();
  for (const line of executionLines(out, detail, now)) out.line(line);
  for (const [name, value] of Object.entries(detail.outputs))
    out.line(`${out.paint("bold", name)}: ${oneLine(asText(value))}`);
  for (const line of impliedLines(out, detail)) out.line(line);
  printWarnings(cli, detail.path, detail.warnings);
  if (detail.stalled)
    cli.remark(`No process drives it. To continue it: reprise rerun ${detail.id}`);
  for (const item of detail.waitsFor)
    cli.remark(`Waits for a person: reprise inbox ${item.slice(0, 8)}`);
  if (detail.error) printError(cli, detail.error);
  for (const line of deniedLines(cli.err, detail)) cli.remark(line);
  return 0;
}

/** `result` is an output of the run, `coder.output` that of a node, `review/2/coder.output` of one execution. */
function printOutput(cli: Cli, run: RunDetail, name: string): number {
  const cut = name.lastIndexOf(".");
  const [of, port] = cut < 0 ? ["", name] : [name.slice(0, cut), name.slice(cut + 1)];
  const executions = run.executions.filter(({ id, node }) => id === of || node === of);
  const values = of === "" ? run.outputs : (executions.at(-1)?.outputs ?? {});
  if (!(port in values)) {
    const known = [
      ...Object.keys(run.outputs),
      ...run.executions.flatMap(({ id, outputs }) =>
        Object.keys(outputs).map((each) => `${id}.${each}`),
      ),
    ];
    throw new NotFoundError(
      "no-output",
      `Run ${run.id} has no output "${name}".`,
      suggest(name, known),
    );
  }
  const value = values[port];
  if (cli.json) cli.document(value);
  else cli.out.line(cli.out.tty ? inert(asText(value)) : asText(value));
  return 0;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
