/** `reprise logs`: the events of a run; with `--follow` also new ones. */

import { inertJson } from "@reprise/core/text/visible-controls";
import type { Cli } from "../cli.ts";
import { eventLine } from "../format/run.ts";
import { type Cancellation, cancellable } from "../turn-run.ts";

interface LogOptions {
  readonly follow?: boolean;
  readonly jsonl?: boolean;
}

export function run(cli: Cli, id: string, { follow = false, jsonl }: LogOptions): Promise<number> {
  const watch = ({ signal, exitCode }: Cancellation) =>
    cli.withReprise(async (reprise) => {
      const events = [];
      for await (const event of reprise.runs.events(id, { follow, signal })) {
        if (cli.json && !jsonl) events.push(event);
        else cli.out.line(jsonl ? inertJson(event) : eventLine(cli.out, event));
      }
      if (cli.json && !jsonl) cli.document(events);
      return exitCode() ?? 0;
    });
  // Ctrl-C only ends this command.
  return cancellable(cli, watch, () => {});
}
