/** `reprise workflow fmt`: formats workflow files. */

import { formatFile } from "@reprise/workflow/format-file";
import type { Cli } from "../cli.ts";
import { findingLine } from "../format/finding.ts";
import { inert } from "../format/text.ts";
import { readWorkflow } from "../input/workflow-file.ts";
import { replaceFile } from "../replace-file.ts";

interface FmtOptions {
  readonly check?: boolean;
  readonly stdout?: boolean;
}

export async function run(
  cli: Cli,
  files: readonly string[],
  options: FmtOptions,
): Promise<number> {
  const results: { file: string; changed: boolean }[] = [];
  let broken = false;
  for (const file of files) {
    const { text, path } = await readWorkflow(cli, file);
    const formatted = formatFile(text);
    if ("findings" in formatted) {
      for (const finding of formatted.findings) cli.err.line(findingLine(cli.err, file, finding));
      broken = true;
      continue;
    }
    const changed = formatted.text !== text;
    results.push({ file, changed });
    if (options.check) {
      if (changed && !cli.json) cli.out.line(`${file} is not formatted.`);
    } else if (options.stdout || path === null) {
      if (!cli.json) cli.out.write(cli.out.tty ? inert(formatted.text) : formatted.text);
    } else if (changed) {
      await replaceFile(path, formatted.text);
      if (!cli.json) cli.out.line(`Formatted ${file}.`);
    } else if (!cli.json) cli.out.line(`${file} is already formatted.`);
  }
  if (cli.json) cli.document({ files: results });
  if (broken) return 2;
  return options.check && results.some(({ changed }) => changed) ? 1 : 0;
}
