/** The node tasks that a run's owner has running: it starts them, cancels or leaves them together, and gets their ends. */

import { errorView, FencedError, StoreError } from "@reprise/core/errors/errors";
import type { GraphNode } from "@reprise/workflow/graph";
import type { Work } from "@reprise/workflow/run/command";
import type { RunEvent } from "@reprise/workflow/run/event";
import type { ExecutionId } from "@reprise/workflow/run/execution";
import type { Execution, RunState } from "@reprise/workflow/run/state";
import type { Engine } from "../engine.ts";
import type { WorkContext, WorkEnd, Workers } from "./work/work.ts";

export interface NodeTasksOptions {
  readonly engine: Engine;
  readonly workers: Workers;
  readonly leave: AbortSignal;
  /** Writes an event while a task is running. */
  note(event: RunEvent): Promise<void>;
  ended(id: ExecutionId, node: GraphNode, end: WorkEnd): void;
  /** A store that cannot be written is not a failure of the node. */
  broke(error: unknown): void;
}

export class NodeTasks {
  readonly #options: NodeTasksOptions;
  readonly #running = new Map<ExecutionId, { cancel: AbortController; over: Promise<void> }>();

  constructor(options: NodeTasksOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size;
  }

  has(id: ExecutionId): boolean {
    return this.#running.has(id);
  }

  begin(state: RunState, execution: Execution, work: Work, recovered: boolean): void {
    const { workers, ended, broke } = this.#options;
    const cancel = new AbortController();
    if (state.cancelling) cancel.abort();
    const { id } = execution;
    const context = this.#context(state, execution, { recovered, signal: cancel.signal });
    const over = perform(workers, context, work)
      .then(
        (end) => {
          this.#running.delete(id);
          ended(id, work.node, end);
        },
        (error) => {
          this.#running.delete(id);
          if (error instanceof StoreError) broke(error);
          else ended(id, work.node, failure(error));
        },
      )
      // An end that cannot be recorded stops the run from advancing.
      .catch(broke);
    this.#running.set(id, { cancel, over });
  }

  cancel(): void {
    for (const { cancel } of this.#running.values()) cancel.abort();
  }

  async settle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ over }) => over));
  }

  #context(
    { id: run, folder, trigger, continuity, access, within }: RunState,
    started: Execution,
    how: Pick<WorkContext, "recovered" | "signal">,
  ): WorkContext {
    const { engine, leave, note } = this.#options;
    return {
      engine,
      run,
      execution: started.id,
      attempt: started.attempt,
      folder,
      manual: trigger === null,
      continuity,
      access,
      within: within ?? engine.within,
      leave,
      session: started.type === "agent" ? started.session : null,
      turns: started.type === "agent" ? [...started.turns] : [],
      rebooted: started.type === "shell" && started.boot !== engine.owner.boot,
      note,
      ...how,
    };
  }
}

export function failure(error: unknown): WorkEnd {
  // Another process owns its turn by now and drives it to its end; we look for it again later.
  if (error instanceof FencedError) return { type: "left" };
  return { type: "failed", kind: "terminal", error: errorView(error), outputs: {} };
}

/** Async, so that a worker that throws at once rejects too. */
async function perform(workers: Workers, context: WorkContext, work: Work): Promise<WorkEnd> {
  switch (work.type) {
    case "agent":
      return workers.agent(context, work);
    case "shell":
      return workers.shell(context, work);
    case "workdir":
      return workers.workdir(context, work);
    case "function":
      return workers.function(context, work);
  }
}
