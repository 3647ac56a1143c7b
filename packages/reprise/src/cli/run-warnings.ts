/** What a workflow's file leaves open and a rule settled, told beside the result, at its line. */

import type { RunDetail } from "@reprise/core/api/reprise";
import type { Cli } from "./cli.ts";
import { marked } from "./format/outcome.ts";

/** `path` is missing where the workflow came from standard input. */
export function tellWarnings(
  cli: Cli,
  path: string | null | undefined,
  warnings: RunDetail["warnings"],
): void {
  const mark = cli.err.paint("yellow", "!");
  for (const { message, hint, position } of warnings) {
    const place = [path ?? "-", ...(position ? [position.line, position.column] : [])].join(":");
    for (const line of marked(cli.err, mark, `${place}: ${message} ${hint}`)) cli.remark(line);
  }
}
