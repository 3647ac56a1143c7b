/**
 * One step of a run: what happened, and everything that follows from it until something outside must
 * move. It is written in one transaction, so a run never stands between two of its events.
 */

import type { Graph } from "@reprise/core/workflow/graph";
import { advance } from "@reprise/core/workflow/run/advance";
import { apply } from "@reprise/core/workflow/run/apply";
import type { OpenGate, RunCommand, Work } from "@reprise/core/workflow/run/command";
import type { RunEvent } from "@reprise/core/workflow/run/event";
import type { ExecutionId } from "@reprise/core/workflow/run/execution";
import { nodeIndex } from "@reprise/core/workflow/run/graph-index";
import type { RunState } from "@reprise/core/workflow/run/state";
import type { Durability, NewDue, NewItem } from "@reprise/store/store";
import { newId } from "../ids.ts";
import type { LoadedGraph } from "./graphs.ts";

export interface RunStep {
  readonly events: readonly RunEvent[];
  readonly starts: readonly Start[];
  readonly opens: readonly NewItem[];
  readonly due: readonly NewDue[];
  readonly durability: Durability;
  /** When it goes on by itself; null when it does not. */
  readonly until: number | null;
}

export interface Start {
  readonly execution: ExecutionId;
  readonly attempt: number;
  readonly work: Work;
}

/** Changes `state` to what it is after the step. `only`: what happened is taken in, and nothing begun. */
export function takeStep(
  { graph }: LoadedGraph,
  state: RunState,
  happened: readonly RunEvent[],
  { now, boot, only }: { readonly now: number; readonly boot: string; readonly only: boolean },
): RunStep {
  const events: RunEvent[] = [];
  const starts: Start[] = [];
  const opens: NewItem[] = [];
  const due: NewDue[] = [];
  let until: number | null = null;

  const put = (event: RunEvent) => {
    apply(graph, state, event, { seq: state.seq + 1, at: now });
    events.push(event);
  };
  const carryOut = (command: RunCommand) => {
    switch (command.do) {
      case "append":
        return put(command.event);
      case "start":
        put(startEvent(command, boot));
        return starts.push(command);
      case "open-gate": {
        const item = newItem(command.execution, command.gate, now);
        put({
          type: "gate.opened",
          execution: command.execution,
          item: item.id,
          deadline: item.deadline,
        });
        opens.push(item);
        if (item.deadline !== null) due.push(deadlineOf(item.id, item.deadline));
        return;
      }
      case "wait":
        until = command.until;
    }
  };

  for (const event of happened) put(event);
  for (let moved = !only; moved; ) {
    until = null;
    const commands = advance(graph, state, now);
    for (const command of commands) carryOut(command);
    // Neither a start nor a gate makes anything else ready before it ends.
    moved = commands.some((command) => command.do === "append");
  }
  const durability = isInner(graph, state, { happened, starts, opens }) ? "buffered" : "durable";
  return { events, starts, opens, due, durability, until };
}

/**
 * A function leaves no trace: nobody outside can tell whether one was begun or has ended, and calling
 * it again after a loss of power is harmless. What is between functions alone is promised to nobody.
 */
function isInner(
  graph: Graph,
  { status, executions }: RunState,
  step: Pick<RunStep, "starts" | "opens"> & { readonly happened: readonly RunEvent[] },
): boolean {
  const isFunction = (id: ExecutionId) => {
    const execution = executions.get(id);
    return execution !== undefined && nodeIndex(graph, execution.node).node.type === "function";
  };
  return (
    status === "running" &&
    step.opens.length === 0 &&
    step.starts.every(({ execution }) => isFunction(execution)) &&
    step.happened.every(
      (event) =>
        (event.type === "node.done" || event.type === "node.failed") && isFunction(event.execution),
    )
  );
}

/** The id of an agent's turn is chosen before it begins, so that whoever comes later finds it. */
function startEvent({ execution, attempt, work }: Start, boot: string): RunEvent {
  const event = { type: "node.started", execution, attempt } as const;
  if ("script" in work) return { ...event, boot };
  return "session" in work ? { ...event, session: work.session.key, turn: newId() } : event;
}

function newItem(
  execution: ExecutionId,
  { node, title, message, deadline, sessions }: OpenGate,
  now: number,
): NewItem {
  return {
    id: newId(),
    kind: node.kind,
    execution,
    title,
    message,
    choices: node.choices,
    fields: node.fields,
    answerers: node.answerers,
    passphrase: node.passphrase,
    sessions,
    deadline: deadline === null ? null : now + deadline,
  };
}

/** The store removes it under this id when the item is resolved. */
function deadlineOf(item: string, at: number): NewDue {
  const id = `deadline:${item}`;
  return { id, key: id, at, payload: { item } };
}
