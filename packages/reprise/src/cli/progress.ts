/** The progress line while a turn waits or runs; only on a terminal, and erased when the turn ends. */

import type { Progress } from "@reprise/core/api/reprise";
import { ownerText } from "@reprise/core/session/owner-text";
import type { TurnWaiting } from "@reprise/core/session/waiting";
import type { Cli } from "./cli.ts";
import { inert, shorten } from "./format/text.ts";
import { elapsed } from "./format/time.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
export const eraseLine = "\r\u001b[2K";

export interface ProgressLine {
  report(progress: Progress): void;
  stop(): void;
}

export function progressLine(cli: Cli): ProgressLine {
  if (!cli.err.redraws || cli.quiet) return { report: () => {}, stop: () => {} };
  const startedAt = cli.now();
  let doing = "opening the session";
  let tools: string[] = [];
  let frame = 0;
  let drawn = false;
  const draw = () => {
    drawn = true;
    const time = elapsed(cli.now() - startedAt);
    const text = [doing, time, ...(tools.length > 0 ? [tools.join(", ")] : [])].join(" · ");
    const mark = cli.err.paint("cyan", frames[frame++ % frames.length]!);
    cli.err.write(
      `${eraseLine}${mark} ${cli.err.paint("dim", shorten(inert(text), cli.err.width - 3))}`,
    );
  };
  const timer = setInterval(draw, 100).unref();
  return {
    report(progress) {
      ({ doing, tools } = after(progress, doing, tools));
    },
    stop() {
      clearInterval(timer);
      if (drawn) cli.err.write(eraseLine);
      drawn = false;
    },
  };
}

export function waitingText(waiting: TurnWaiting): string {
  if (waiting.type === "limited")
    return `waiting for a free agent (${waiting.limit} ${waiting.max})`;
  const { behind, owner, since, stopped } = waiting;
  const who = owner ? ` of ${ownerText(owner)}` : "";
  const when = ` since ${new Date(since).toISOString()}`;
  const still = stopped ? ", which is stopped (continue it with fg, or cancel the turn)" : "";
  return `waiting behind turn ${behind.slice(0, 8)}${who}${when}${still}`;
}

/** The text of the line after a step, with the last three tools. */
export function after(
  progress: Progress,
  doing: string,
  tools: string[],
): { doing: string; tools: string[] } {
  switch (progress.type) {
    case "waiting":
    case "limited":
      return { doing: waitingText(progress), tools };
    case "decided":
      return {
        doing: progress.decision.prepare?.includes("compact")
          ? "compacting the session"
          : progress.decision.outcome,
        tools: [],
      };
    case "launched":
      return {
        doing: progress.attempt > 1 ? `${doing} · attempt ${progress.attempt}` : doing,
        tools: [],
      };
    case "tool":
      return { doing, tools: [...tools, progress.name].slice(-3) };
    case "text":
      return { doing, tools };
  }
}
