/** Formats runs and their nodes: a line for each execution, indented by the loops around it. */

import { stripVTControlCharacters } from "node:util";
import type { EventView, ExecutionView, RunDetail, RunView } from "@reprise/core/api/reprise";
import type { Channel, Style } from "../cli.ts";
import { outcomeStyle } from "./outcome.ts";
import { amount, brief, clip, clock, elapsed, fit, oneLine, shorten, textWidth } from "./text.ts";

const marks: Record<ExecutionView["status"], readonly [mark: string, style: Style]> = {
  running: ["●", "cyan"],
  waiting: ["?", "yellow"],
  retrying: ["↻", "yellow"],
  done: ["✓", "green"],
  failed: ["✗", "red"],
  skipped: ["–", "dim"],
  cancelled: ["✗", "yellow"],
};

export function runStyle(status: RunView["status"]): Style | null {
  if (status === "failed" || status === "rejected" || status === "stuck") return "red";
  if (status === "done") return "green";
  return status === "running" ? "cyan" : "yellow";
}

/** The status, or that no process drives the run. */
export function runState({ status, stalled }: RunView): string {
  return stalled ? `${status}, left alone` : status;
}

/** `review-loop · fix-42 · waiting · 12 s`; the name and the id are shortened if needed. */
export function runHeadline(channel: Channel, run: RunView, now: number): string {
  const name = oneLine(run.workflow);
  const state = runState(run);
  const took = elapsed((run.endedAt ?? now) - run.startedAt);
  const fixed = textWidth(` ·  · ${state} · ${took}`);
  const room = channel.width - 1 - fixed;
  const [forName, forId] = fit([textWidth(name), run.id.length], [true, true], room);
  return [
    channel.paint("bold", clip(name, forName!)),
    shorten(run.id, forId!),
    channel.paint(runStyle(run.status) ?? "dim", state),
    took,
  ].join(" · ");
}

/** Executions in the order in which they began, each under its loop. */
export function executionLines(
  channel: Channel,
  { executions }: Pick<RunDetail, "executions">,
  now: number,
  { spinner, most = Number.POSITIVE_INFINITY }: { spinner?: string; most?: number } = {},
): string[] {
  // The run's outputs are printed at its end.
  const all = inTreeOrder(executions.filter(({ type }) => type !== "output"));
  const shown = mostRecent(all, most);
  const lines = shown.map((execution) => executionLine(channel, execution, now, spinner));
  const hidden = all.length - shown.length;
  return hidden === 0
    ? lines
    : [channel.paint("dim", `… ${amount(hidden, "more line")}`), ...lines];
}

/** The workflow's implied settings, a line for each node; none for a run that is done. */
export function impliedLines(channel: Channel, { graph, status }: RunDetail): string[] {
  const said = graph.nodes.filter(({ implied }) => implied.length > 0);
  if (said.length === 0 || status === "done") return [];
  const lines = said.map(({ id, implied }) => `  ${oneLine(id)}: ${oneLine(implied.join("; "))}`);
  return [
    "",
    ...["implied", ...lines].map((line) => channel.paint("dim", clip(line, channel.width - 1))),
  ];
}

/** As many as fit, in their order: running ones first, then those that ended last. */
function mostRecent(executions: readonly ExecutionView[], most: number): readonly ExecutionView[] {
  if (executions.length <= most) return executions;
  const [going, ended] = [[], []] as [ExecutionView[], ExecutionView[]];
  for (const execution of executions) (execution.endedAt === null ? going : ended).push(execution);
  const room = Math.max(0, most - going.length);
  const kept = new Set([...going.slice(-most), ...(room === 0 ? [] : ended.slice(-room))]);
  return executions.filter((execution) => kept.has(execution));
}

/** Each loop, followed by its executions in the order of its iterations. */
function inTreeOrder(executions: readonly ExecutionView[]): ExecutionView[] {
  const within = new Map<string, ExecutionView[]>();
  const known = new Set(executions.map(({ id }) => id));
  for (const execution of executions) {
    const loop = loopOf(execution.id);
    const parent = known.has(loop) ? loop : "";
    const siblings = within.get(parent) ?? [];
    siblings.push(execution);
    within.set(parent, siblings);
  }
  const below = (parent: string): ExecutionView[] =>
    (within.get(parent) ?? []).flatMap((execution) => [execution, ...below(execution.id)]);
  return below("");
}

/** The execution of the loop around it: `review` for `review/2/coder`. */
function loopOf(id: string): string {
  return id.split("/").slice(0, -2).join("/");
}

function executionLine(
  channel: Channel,
  execution: ExecutionView,
  now: number,
  spinner: string | undefined,
): string {
  const [mark, style] = isNo(execution) ? marks.cancelled : marks[execution.status];
  const shown = execution.status === "running" && spinner ? spinner : mark;
  const indent = "  ".repeat(execution.iterations.length);
  const wide = channel.width - textWidth(indent) - 2;
  const name = shorten(nameOf(execution), wide - 1);
  const head = `${indent}${channel.paint(style, shown)} ${name}`;
  const facts = factsOf(channel, execution, now);
  const room = wide - textWidth(name);
  const rest = [...facts, ...remarkOf(execution)].map((fact) => ` · ${fact}`).join("");
  return room === Number.POSITIVE_INFINITY
    ? head + rest
    : head + fitted(channel, facts, execution, room);
}

/** A gate that was not answered with its first choice, or a retry gate that was not passed. */
function isNo({ type, status, outputs: { approved, passed } }: ExecutionView): boolean {
  if (status !== "done") return false;
  return (type === "gate" && approved === false) || (type === "retry-gate" && passed === false);
}

/** Facts have colours, so they are kept whole or left out; only the remark is cut. */
function fitted(
  channel: Channel,
  facts: readonly string[],
  execution: ExecutionView,
  room: number,
): string {
  let left = room - 1;
  let line = "";
  for (const fact of facts) {
    const width = textWidth(stripVTControlCharacters(fact)) + 3;
    if (width > left) return line;
    line += ` · ${fact}`;
    left -= width;
  }
  const [remark] = remarkOf(execution);
  return remark && left > 12 ? `${line} · ${channel.paint("dim", clip(remark, left - 3))}` : line;
}

/** What agents were denied, one line each: the last thing that a run prints. */
export function deniedLines(
  channel: Channel,
  { executions }: Pick<RunDetail, "executions">,
): string[] {
  return executions.flatMap(({ id, denied }) =>
    denied.map((each) => {
      const text = oneLine(`${id} was denied ${each}`);
      return `${channel.paint("yellow", "!")} ${clip(text, channel.width - 3)}`;
    }),
  );
}

function nameOf({ node, iterations, round }: ExecutionView): string {
  const at = iterations.length > 0 ? `${iterations.at(-1)}/` : "";
  return `${at}${oneLine(node)}${round > 0 ? ` (round ${round + 1})` : ""}`;
}

function factsOf(channel: Channel, execution: ExecutionView, now: number): string[] {
  const { outcome, attempt, tokens, denied, startedAt, endedAt, status, type } = execution;
  const took = (endedAt ?? now) - startedAt;
  const worked = type === "agent" || type === "shell" || type === "loop" || type === "gate";
  return [
    ...(outcome ? [channel.paint(outcomeStyle(outcome) ?? "dim", outcome)] : []),
    ...(status === "done" ? [] : [status]),
    ...(denied.length > 0 ? [channel.paint("yellow", `${denied.length} denied`)] : []),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(tokens ? [amount(tokens, "token")] : []),
    ...(worked && status !== "skipped" ? [channel.paint("dim", elapsed(took))] : []),
    ...iterationsOf(execution),
  ];
}

/** A loop's number of iterations, and whether its maximum stopped it. */
function iterationsOf({ type, outputs: { iterations, ended } }: ExecutionView): string[] {
  if (type !== "loop" || typeof iterations !== "number") return [];
  const how = ended === "maximum" ? ", its maximum" : ended === "rejected" ? ", rejected" : "";
  return [`${amount(iterations, "iteration")}${how}`];
}

function remarkOf({ error, because, warnings, outputs, item, status }: ExecutionView): string[] {
  if (error) return [brief(error.message)];
  if (status === "waiting" && item) return [`reprise inbox ${item.slice(0, 8)}`];
  if (because) return [oneLine(because)];
  if (warnings.length > 0) return [brief(warnings.join("; "))];
  const { output, choice, by } = outputs;
  if (typeof choice === "string") return [brief(`${choice}${by ? ` by ${by}` : ""}`)];
  return typeof output === "string" && output.trim() !== "" ? [oneLine(output.slice(0, 400))] : [];
}

/** One event as a line: its time, its type and its important fields. */
export function eventLine(channel: Channel, { type, stream, data, at }: EventView): string {
  const event = data as Record<string, unknown>;
  const { execution, loop, iteration, choice, by, retryAt, item, tokens } = event;
  const texts = [event.outcome, event.status, event.because].map(asFact);
  const facts = [
    ...(type === "run.started" ? [stream.slice(stream.indexOf(":") + 1), event.workflow] : []),
    execution ?? loop,
    typeof iteration === "number" && `iteration ${iteration}`,
    ...texts,
    typeof tokens === "number" && amount(tokens, "token"),
    type === "gate.opened" && `reprise inbox ${String(item).slice(0, 8)}`,
    choice !== undefined && `${choice} by ${by}`,
    asFact((event.error as { message?: unknown } | null | undefined)?.message),
    typeof retryAt === "number" && `again in ${elapsed(Math.max(0, retryAt - at))}`,
    asFact(event.feedback),
  ].filter((fact) => typeof fact === "string" && fact !== "");
  const text = `${type.padEnd(15)} ${facts.join(" · ")}`.trimEnd();
  const time = clock(at);
  const line = channel.width === Number.POSITIVE_INFINITY ? text : clip(text, channel.width - 22);
  return `${channel.paint("dim", time)}  ${line}`;
}

function asFact(value: unknown): string {
  return typeof value === "string" ? brief(value) : "";
}
