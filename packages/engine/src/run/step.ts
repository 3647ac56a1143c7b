/**
 * One step of a run: the events that happened, and everything that follows from them until something
 * outside must happen. It is written in one transaction, so no process sees a run in the middle of a step.
 */

import type { Durability } from "@reprise/store/contract/database";
import type { NewDue } from "@reprise/store/contract/due";
import type { NewItem } from "@reprise/store/contract/inbox";
import type { Graph } from "@reprise/workflow/graph";
import { advance } from "@reprise/workflow/run/advance";
import { apply } from "@reprise/workflow/run/apply";
import type { OpenGate, RunCommand, Work } from "@reprise/workflow/run/command";
import type { RunEvent } from "@reprise/workflow/run/event";
import type { ExecutionId } from "@reprise/workflow/run/execution";
import { nodeIndex } from "@reprise/workflow/run/graph-index";
import type { RunState } from "@reprise/workflow/run/state";
import { newId } from "../engine.ts";
import type { LoadedGraph } from "./graphs.ts";

export interface RunStep {
  readonly events: readonly RunEvent[];
  readonly starts: readonly Start[];
  readonly opens: readonly NewItem[];
  readonly due: readonly NewDue[];
  readonly durability: Durability;
  /** When the next timer is due; null if there is none. */
  readonly until: number | null;
}

export interface Start {
  readonly execution: ExecutionId;
  readonly attempt: number;
  readonly work: Work;
}

/** Changes `state` to what it is after the step. `only`: applies the events and starts nothing. */
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
  const execute = (command: RunCommand) => {
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
    for (const command of commands) execute(command);
    // Neither a start nor a gate makes anything else ready before it ends.
    moved = commands.some((command) => command.do === "append");
  }
  const durability = isInner(graph, state, { happened, starts, opens }) ? "buffered" : "durable";
  return { events, starts, opens, due, durability, until };
}

/**
 * A function leaves no trace: its start and end cannot be seen from outside, and calling it again after a
 * power loss is harmless. A step between functions alone need not be durable.
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

/** The id of an agent's turn is chosen before it begins, so that a later owner of the run finds it. */
function startEvent({ execution, attempt, work }: Start, boot: string): RunEvent {
  const event = { type: "node.started", execution, attempt } as const;
  switch (work.type) {
    case "agent":
      return { ...event, session: work.session.key, turn: newId() };
    case "shell":
      return { ...event, boot };
    default:
      return event;
  }
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
