/** Drives a run from the command line: progress, Ctrl-C, the printed result and the exit code. */

import type { EventView, Reprise, RunDetail, RunOptions } from "@reprise/core/api/reprise";
import { errorView } from "@reprise/core/errors/errors";
import { renderHints } from "@reprise/core/errors/hint";
import { inertJson } from "@reprise/core/text/visible-controls";
import type { Cli } from "./cli.ts";
import { gateAnswers } from "./format/form.ts";
import { runExitCode } from "./format/outcome.ts";
import { deniedLines } from "./format/run.ts";
import { brief, inert } from "./format/text.ts";
import { printError } from "./report.ts";
import { runProgress } from "./run-progress.ts";
import { cancellable } from "./turn-run.ts";

export interface DriveContext extends RunOptions {
  /** To be called with the run's id as soon as that is known. */
  readonly onStarted: (run: string) => void;
  /**
   * To be called for a run that existed before. Only events after the last one that `isKnown` are shown: a server may
   * have continued it already.
   */
  readonly onResumed: (run: string, isKnown?: (event: EventView) => boolean) => Promise<void>;
}

/** `drive` resolves with the run when it has ended or waits. */
export function driveRun(
  cli: Cli,
  { jsonl = false }: { readonly jsonl?: boolean },
  drive: (reprise: Reprise, context: DriveContext) => Promise<RunDetail>,
): Promise<number> {
  return cancellable(
    cli,
    ({ signal, exitCode }) =>
      cli.withReprise(async (reprise) => {
        const progress = runProgress(cli, reprise, { jsonl, signal });
        let run: RunDetail | null = null;
        try {
          run = await drive(reprise, {
            signal,
            onStarted: (id) => progress.start(id, 0),
            onResumed: async (id, isKnown = () => true) =>
              progress.start(id, jsonl ? 0 : await lastEvent(reprise, id, isKnown)),
          });
        } catch (error) {
          const signalled = exitCode();
          if (signalled === null) throw error;
          if (cli.json) cli.document({ error: errorView(error) });
          return signalled;
        } finally {
          await progress.stop(run);
        }
        await printRun(cli, reprise, run, jsonl);
        return run.status === "cancelled" ? (exitCode() ?? 1) : runExitCode(run);
      }),
    // The progress shows it itself; a line between two redraws would be lost.
    () => {},
  );
}

async function lastEvent(
  reprise: Reprise,
  run: string,
  isKnown: (event: EventView) => boolean,
): Promise<number> {
  let last = 0;
  for await (const event of reprise.runs.events(run, { follow: false }))
    if (isKnown(event)) last = event.seq;
  return last;
}

async function printRun(cli: Cli, reprise: Reprise, run: RunDetail, jsonl: boolean): Promise<void> {
  if (jsonl) cli.out.line(inertJson(renderHints({ run }, cli.out.hint)));
  else if (cli.json) cli.document(run);
  else {
    for (const line of outputLines(run, cli.out.tty)) cli.out.line(line);
    for (const item of await waiting(reprise, run)) cli.remark(item);
  }
  if (run.error) printError(cli, run.error);
  if (!cli.json && !jsonl && rerunnable.includes(run.status))
    cli.remark(`To continue it: reprise rerun ${run.id}`);
  if (!cli.json && !jsonl) for (const line of deniedLines(cli.err, run)) cli.remark(line);
}

/** The error of a rejected run already names the command. */
const rerunnable: readonly RunDetail["status"][] = ["failed", "cancelled"];

/** A single output is printed as it is; several are printed with their names. */
export function outputLines(
  { outputs, graph }: Pick<RunDetail, "outputs" | "graph">,
  terminal: boolean,
): string[] {
  const entries = Object.entries(outputs).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  const named = graph.nodes.filter(({ type }) => type === "output").length;
  const functions = graph.nodes.filter(({ type }) => type === "function").map(({ id }) => id);
  const text = (name: string, given: unknown) => {
    const value = named > 0 || functions.includes(name) ? given : said(given);
    const whole = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return terminal ? inert(whole) : whole;
  };
  if (entries.length === 1 && named <= 1) return [text(...entries[0]!).replace(/\n$/, "")];
  return entries.map(([name, value]) => {
    const whole = text(name, value);
    return whole.includes("\n") ? `${name}:\n${whole.replace(/^/gm, "  ")}` : `${name}: ${whole}`;
  });
}

/**
 * Without named outputs the last nodes are the result: only their `output`, not all of their values. The values of a
 * function are what its author returned.
 */
function said(value: unknown): unknown {
  const { output } = (value ?? {}) as { readonly output?: unknown };
  return typeof output === "string" ? output : value;
}

async function waiting(reprise: Reprise, run: RunDetail): Promise<string[]> {
  if (run.status !== "waiting" && run.status !== "stuck") return [];
  const items = await reprise.inbox.list({ run: run.id });
  return items.flatMap((item) => {
    const { id, kind, title, choices } = item;
    const short = id.slice(0, 8);
    const isYesOrNo = kind === "permission" || (kind === "approval" && choices.length === 2);
    const how = isYesOrNo
      ? [`reprise approve ${short}, or reprise reject ${short}`]
      : kind === "approval" || kind === "form"
        ? gateAnswers(item)
        : kind === "stuck"
          ? [`reprise answer ${short} retry, or reprise answer ${short} cancel`]
          : [`reprise answer ${short} "ANSWER"`];
    return [`Waits for a person: ${brief(title)}`, ...how.map((command) => `  ${command}`)];
  });
}
