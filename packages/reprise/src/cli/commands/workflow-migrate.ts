/** `reprise workflow migrate`: replaces old names in a workflow file, and writes out implied settings. */

import { readProviders } from "@reprise/engine/load-providers";
import { migrateFile } from "@reprise/workflow/migrate";
import type { Cli } from "../cli.ts";
import { counted, findingLine } from "../format/finding.ts";
import { inert, oneLine } from "../format/text.ts";
import { readWorkflow } from "../input/workflow-file.ts";
import { replaceFile } from "../replace-file.ts";

export async function run(
  cli: Cli,
  file: string,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<number> {
  const { text, path } = await readWorkflow(cli, file);
  const result = migrateFile(text, { runners: (await readProviders(cli)).runners });
  if ("findings" in result) {
    if (cli.json) cli.document({ file, findings: result.findings });
    for (const finding of result.findings) cli.err.line(findingLine(cli.err, file, finding));
    return 2;
  }
  const { changes } = result;
  if (!dryRun && path !== null && changes.length > 0) await replaceFile(path, result.text);
  if (cli.json) {
    cli.document({ file, changes, written: !dryRun && path !== null && changes.length > 0 });
    return 0;
  }
  // A workflow from standard input is printed to standard output.
  const channel = path === null && !dryRun ? cli.err : cli.out;
  let last = "";
  for (const { place, before, after } of changes) {
    if (place !== last) channel.line(oneLine(place));
    last = place;
    if (before !== null) channel.line(channel.paint("red", `  - ${oneLine(before)}`));
    if (after !== null) channel.line(channel.paint("green", `  + ${oneLine(after)}`));
  }
  if (path === null && !dryRun) cli.out.write(cli.out.tty ? inert(result.text) : result.text);
  channel.line(summary(file, changes.length, dryRun || path === null));
  return 0;
}

function summary(file: string, count: number, only: boolean): string {
  if (count === 0) return `${file} is up to date.`;
  const changes = counted(count, "change");
  return only ? `${file}: ${changes}.` : `Wrote ${file} with ${changes}.`;
}
