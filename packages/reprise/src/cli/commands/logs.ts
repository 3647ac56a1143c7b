/** `reprise logs`: what happened in a run, and with `--follow` what happens. */

import { cancellable } from "../cancel.ts";
import type { Cli } from "../cli.ts";
import { eventLine } from "../format/run.ts";

interface LogOptions {
  readonly follow?: boolean;
  readonly jsonl?: boolean;
}

export function run(cli: Cli, id: string, { follow = false, jsonl }: LogOptions): Promise<number> {
  return cancellable(cli, ({ signal, handOver }) =>
    cli.withReprise(async (reprise) => {
      // Ctrl-C ends the watching, and nothing else.
      handOver();
      const events = [];
      for await (const event of reprise.runs.events(id, { follow, signal })) {
        if (cli.json && !jsonl) events.push(event);
        else cli.out.line(jsonl ? JSON.stringify(event) : eventLine(cli.out, event, cli.now()));
      }
      if (cli.json && !jsonl) cli.document(events);
      return 0;
    }),
  );
}
