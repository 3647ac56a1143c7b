/**
 * Shows a run's progress: on a terminal a tree that is redrawn, elsewhere a line for every event. On standard error,
 * because only the result belongs on standard output.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { EventView, Reprise, RunDetail } from "@reprise/core/api/reprise";
import { inertJson } from "@reprise/core/text/visible-controls";
import type { Cli } from "./cli.ts";
import { eventLine, executionLines, runHeadline } from "./format/run.ts";
import { cutLine, inertLine, rowsOf } from "./format/text.ts";
import { cancelling } from "./turn-run.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const shortestPause = 120;
/** A character that is wider than expected must not wrap into a row that is not cleared. */
const withoutWrap = "\u001b[?7l";
const withWrap = "\u001b[?7h";
/** `reprise show` has the rest of a longer run. */
const mostLines = 500;

export interface RunProgress {
  /** Call when the run exists; starts with the event after `after`. */
  start(run: string, after: number): void;
  /** Draws the final state. */
  stop(run: RunDetail | null): Promise<void>;
}

export function runProgress(
  cli: Cli,
  reprise: Reprise,
  { jsonl, signal }: { readonly jsonl: boolean; readonly signal: AbortSignal },
): RunProgress {
  if (jsonl) return eventStream(reprise, (event) => cli.out.line(inertJson(event)));
  if (cli.quiet || cli.json) return { start: () => {}, stop: async () => {} };
  return cli.err.redraws
    ? tree(cli, reprise, signal)
    : eventStream(reprise, (event) => cli.err.line(eventLine(cli.err, event)));
}

/** Prints every event of the run once, in order, and all of them before it stops. */
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
    start(run, after) {
      last = after;
      printing = take(run, { follow: true, signal: stopped.signal }).catch(() => {});
    },
    async stop(run) {
      stopped.abort();
      await printing;
      if (run) await take(run.id, { follow: false });
    },
  };
}

function tree(cli: Cli, reprise: Reprise, signal: AbortSignal): RunProgress {
  let drawn: readonly string[] = [];
  let drawnAt = cli.err.width;
  let frame = 0;
  let watching = Promise.resolve();
  const stopped = new AbortController();

  function draw(run: RunDetail, whole: boolean): void {
    const spinner = frames[frame++ % frames.length]!;
    const foot = !whole && signal.aborted ? [cancelling("the run")] : [];
    const { width } = cli.err;
    const rows = cli.stderr.rows ?? 24;
    // The other rows are the headline, the count of hidden lines, the foot, and the cursor.
    const most = whole ? mostLines : Math.max(1, rows - 4);
    const lines = executionLines(cli.err, run, cli.now(), { most, ...(whole ? {} : { spinner }) });
    const all = [runHeadline(cli.err, run, cli.now()), ...lines, ...foot];
    const text = (whole ? all : all.slice(0, Math.max(1, rows - 1))).map((line) =>
      // The last column stays free: clearing to the end of a full line would erase its last character.
      cutLine(inertLine(line), width - 1),
    );
    const body = text.map((line) => `${line}\u001b[K\n`).join("");
    cli.err.write(`${upTo(width)}${withoutWrap}${body}\u001b[J${withWrap}`);
    drawn = text;
    drawnAt = width;
  }

  /** Moves the cursor to where the last drawing begins. A terminal that became narrower has wrapped its lines. */
  function upTo(width: number): string {
    const rows =
      width < drawnAt ? drawn.reduce((sum, line) => sum + rowsOf(line, width), 0) : drawn.length;
    // Typed characters, such as ^C, have moved the cursor to the right.
    return rows > 0 ? `\r\u001b[${rows}A` : "";
  }

  /** Draws again only when the last drawing is done: reading a run with thousands of nodes takes long. */
  async function watch(run: string): Promise<void> {
    while (!stopped.signal.aborted) {
      const begun = performance.now();
      draw(await reprise.runs.show(run), false);
      const pause = Math.max(shortestPause, 4 * (performance.now() - begun));
      await delay(pause, null, { signal: stopped.signal });
    }
  }

  return {
    start(run) {
      // A failure to draw must not fail the command.
      watching = watch(run).catch(() => {});
    },
    async stop(run) {
      stopped.abort();
      await watching;
      if (run) draw(run, true);
    },
  };
}
