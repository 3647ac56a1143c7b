/**
 * What can be done now.
 *
 *     cancelled, or failed at the top ──▶ nothing new; the end, when nothing runs any more
 *     else ──▶ all that follows without an effect, and the work for which there is room
 *     all nodes of the run have ended ──▶ the end
 * Commands that only append events come first. Work starts only if there are none, so that no work begins
 * that a failure or a retry is about to make useless. A failure that stops its frame is returned alone. So
 * the commands of one call do not depend on each other and can be executed in any order.
 * An appended event may allow more, so the caller asks again until there is nothing to append.
 * That ends: every append ends an execution, begins one of finitely many iterations, or uses up a retry.
 */

import type { Graph } from "../graph.ts";
import type { RunCommand } from "./command.ts";
import { decideExecution, failing, isExclusive } from "./decide.ts";
import { ending, stuck } from "./ending.ts";
import type { Claims } from "./sessions.ts";
import type { RunState } from "./state.ts";
import { prepare } from "./work.ts";

export function advance(graph: Graph, state: RunState, now: number): RunCommand[] {
  const top = state.frames.get("");
  if (state.status !== "running" || !top) return [];
  const end = ending(graph, state, top);
  if (end) return [end];
  if (state.cancelling || top.failed !== null) return [];
  const decided = [...state.ready].map((id) => decideExecution(graph, state, id));
  const appends = decided.filter((command) => command.do === "append");
  if (appends.length > 0) return withoutOthers(graph, appends);
  const commands = withoutOthers(graph, [...decided, ...starts(graph, state, now)]);
  const later = retryTime(state, now);
  if (later !== null) return [...commands, { do: "wait", until: later }];
  const isUnderWay = state.active.size + state.waiting.size + state.retrying.size > 0;
  return commands.length === 0 && !isUnderWay ? [stuck()] : commands;
}

/** All of them, or the one that must be executed alone. */
function withoutOthers(graph: Graph, commands: readonly RunCommand[]): RunCommand[] {
  const alone = commands.find((command) => isExclusive(graph, command));
  return alone ? [alone] : [...commands];
}

/** When the next retry is due. */
function retryTime({ retrying, executions }: RunState, now: number): number | null {
  let next: number | null = null;
  for (const id of retrying) {
    const at = executions.get(id)?.retryAt ?? now;
    if (at > now && (next === null || at < next)) next = at;
  }
  return next;
}

/** Work, up to the maximum in parallel; retries first. */
function* starts(graph: Graph, state: RunState, now: number): Generator<RunCommand> {
  const claims: Claims = new Map();
  let room = graph.parallel - state.active.size;
  for (const id of candidates(state, now)) {
    if (room <= 0) return;
    const attempt = (state.executions.get(id)?.attempt ?? 0) + 1;
    const work = prepare(graph, state, { execution: id, attempt, claims });
    if ("problem" in work) {
      yield failing(id, attempt, work);
      continue;
    }
    room -= 1;
    yield { do: "start", execution: id, attempt, work };
  }
}

function* candidates(state: RunState, now: number): Generator<string> {
  for (const id of state.retrying) if ((state.executions.get(id)?.retryAt ?? now) <= now) yield id;
  yield* state.queue;
}
