/**
 * A run while it goes on: on a terminal a tree that is drawn again and again, elsewhere a line for
 * every event. On standard error, because the result alone belongs on standard output.
 */

import type { EventView, Reprise, RunDetail } from "@reprise/core/api/reprise";
import type { Cli } from "./cli.ts";
import { eventLine, executionLines, runHeadline } from "./format/run.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const interval = 120;

export interface RunProgress {
  /** Begins when the run is there. */
  start(run: string): void;
  /** Draws what became of it a last time. */
  stop(run: RunDetail | null): Promise<void>;
}

export function runProgress(
  cli: Cli,
  reprise: Reprise,
  { jsonl }: { jsonl: boolean },
): RunProgress {
  if (jsonl) return eventStream(reprise, (event) => cli.out.line(JSON.stringify(event)));
  if (cli.quiet || cli.json) return { start: () => {}, stop: async () => {} };
  return cli.err.tty
    ? tree(cli, reprise)
    : eventStream(reprise, (event) => cli.err.line(eventLine(cli.err, event, cli.now())));
}

/** Every event of the run once, in order, and none is missing when it stops. */
function eventStream(reprise: Reprise, print: (event: EventView) => void): RunProgress {
  const stopped = new AbortController();
  let last = 0;
  let printing = Promise.resolve();
  const take = async (run: string, options: { follow: boolean; signal?: AbortSignal }) => {
    for await (const event of reprise.runs.events(run, { after: last, ...options })) {
      last = event.seq;
      print(event);
    }
  };
  return {
    start(run) {
      printing = take(run, { follow: true, signal: stopped.signal }).catch(() => {});
    },
    async stop(run) {
      stopped.abort();
      await printing;
      if (run) await take(run.id, { follow: false });
    },
  };
}

function tree(cli: Cli, reprise: Reprise): RunProgress {
  let drawn = 0;
  let frame = 0;
  let timer: NodeJS.Timeout | null = null;
  let drawing: Promise<void> = Promise.resolve();

  function draw(run: RunDetail, whole: boolean): void {
    const spinner = frames[frame++ % frames.length]!;
    const rows = whole ? Number.POSITIVE_INFINITY : Math.max(4, (cli.stderr.rows ?? 24) - 2);
    const lines = executionLines(cli.err, run, cli.now(), whole ? {} : { spinner });
    const shown = lines.length > rows ? lines.slice(-rows) : lines;
    const text = [runHeadline(cli.err, run, cli.now()), ...shown].map(
      (line) => `${line}\u001b[K\n`,
    );
    cli.err.write(`${drawn > 0 ? `\u001b[${drawn}A` : ""}${text.join("")}\u001b[J`);
    drawn = shown.length + 1;
  }

  return {
    start(run) {
      const again = () => {
        drawing = reprise.runs.show(run).then(
          (detail) => draw(detail, false),
          () => {},
        );
      };
      again();
      timer = setInterval(again, interval);
    },
    async stop(run) {
      if (timer) clearInterval(timer);
      await drawing;
      if (run) draw(run, true);
    },
  };
}
