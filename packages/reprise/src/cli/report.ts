/** Reports an error: one sentence for a person, a document with `--json`, and an exit code. */

import { type ErrorView, errorView, RepriseError } from "@reprise/core/errors/errors";
import type { Cli } from "./cli.ts";
import { brief, oneLine, sentence } from "./format/text.ts";

/** An error may quote a whole answer. */
const maxMessage = 1_500;

/** Prints the error and returns its exit code. */
export function reportError(cli: Cli, error: unknown): number {
  const view = errorView(error);
  if (cli.json) cli.document({ error: view });
  printError(cli, view);
  if (error instanceof RepriseError) return error.exitCode;
  if (cli.verbose && error instanceof Error) cli.err.line(error.stack ?? "");
  return 1;
}

export function printError(cli: Cli, { message, hint }: ErrorView): void {
  cli.err.line(
    `${cli.err.paint("red", "reprise:")} ${oneLine(cli.err.hint(`${sentence(brief(message, maxMessage))} ${hint}`))}`,
  );
}
