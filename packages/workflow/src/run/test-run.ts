/** Plays runs in tests: writes down what `advance` wants, as a driver does, and ends work as the test says. */

import type { Graph } from "../graph.ts";
import { advance } from "./advance.ts";
import { apply } from "./apply.ts";
import type { AgentWork, OpenGate, RunCommand, Work } from "./command.ts";
import type { NamedValues, RunEvent } from "./event.ts";
import type { ExecutionId } from "./execution.ts";
import { emptyState, fold, type Happened } from "./fold.ts";
import type { Execution, RunState } from "./state.ts";
import { runStatus } from "./status.ts";

export interface Started {
  readonly execution: ExecutionId;
  readonly attempt: number;
  readonly work: Work;
  /** How many others ran then. */
  readonly beside: number;
}

export interface PlayOptions {
  readonly trigger?: string | null;
  /** Which of the commands is executed next. */
  readonly shuffle?: (count: number) => number;
}

export class Play {
  readonly graph: Graph;
  readonly events: Happened[] = [];
  /** Everything that was started, in order. */
  readonly starts: Started[] = [];
  readonly opened: OpenGate[] = [];
  state: RunState;
  now = 1000;
  waitsUntil: number | null = null;
  readonly #shuffle: (count: number) => number;

  constructor(
    graph: Graph,
    inputs: NamedValues = {},
    { trigger = null, shuffle = () => 0 }: PlayOptions = {},
  ) {
    this.#shuffle = shuffle;
    this.graph = graph;
    this.state = emptyState("r1");
    this.happen({
      type: "run.started",
      workflow: graph.name,
      source: "",
      format: 1,
      inputs,
      folder: "/project",
      path: null,
      trigger,
      by: null,
    });
  }

  /** Takes in what happened, and all that follows from it. */
  happen(...events: RunEvent[]): this {
    for (const event of events) this.#write(event);
    this.follow();
    return this;
  }

  follow(): void {
    for (let commands = this.#advance(); commands.length > 0; commands = this.#advance())
      while (commands.length > 0)
        for (const command of commands.splice(this.#shuffle(commands.length), 1))
          this.#carryOut(command);
  }

  #advance(): RunCommand[] {
    const commands = advance(this.graph, this.state, this.now);
    const wait = commands.find((command) => command.do === "wait");
    this.waitsUntil = wait?.until ?? null;
    return commands.filter((command) => command !== wait);
  }

  #carryOut(command: RunCommand): void {
    if (command.do === "append") this.#write(command.event);
    if (command.do === "open-gate") {
      this.opened.push(command.gate);
      const item = `item-${this.opened.length}`;
      this.#write({ type: "gate.opened", execution: command.execution, item, deadline: null });
    }
    if (command.do === "start") {
      const { execution, attempt, work } = command;
      this.starts.push({ execution, attempt, work, beside: this.state.active.size });
      const turn = { turn: `turn-${this.starts.length}` };
      this.#write({
        type: "node.started",
        execution,
        attempt,
        ...(work.type === "agent" ? { session: work.session.key, ...turn } : {}),
      });
    }
  }

  #write(event: RunEvent): void {
    this.now += 1;
    const happened = { event, seq: this.events.length + 1, at: this.now };
    this.events.push(happened);
    apply(this.graph, this.state, event, happened);
  }

  done(execution: ExecutionId, outputs: NamedValues = {}): this {
    const attempt = this.execution(execution).attempt;
    return this.happen({ type: "node.done", execution, attempt, outputs });
  }

  fail(
    execution: ExecutionId,
    { outputs = {} as NamedValues, code = "broken", retryAt = null as number | null } = {},
  ): this {
    const attempt = this.execution(execution).attempt;
    const error = { code, message: `${execution} broke.`, hint: "Fix it." };
    return this.happen({ type: "node.failed", execution, attempt, error, outputs, retryAt });
  }

  answer(
    execution: ExecutionId,
    choice: string,
    more: { values?: NamedValues; comment?: string } = {},
  ) {
    return this.happen({
      type: "gate.answered",
      execution,
      item: this.item(execution) ?? "",
      choice,
      by: "ann",
      comment: more.comment ?? null,
      values: more.values ?? {},
    });
  }

  /** Dies, and begins again from what was written. */
  crash(): void {
    this.state = this.folded();
    this.follow();
  }

  folded(): RunState {
    return fold(this.graph, this.state.id, this.events);
  }

  item(id: ExecutionId): string | null {
    const execution = this.execution(id);
    return execution.type === "gate" ? execution.item : null;
  }

  execution(id: ExecutionId): Execution {
    const found = this.state.executions.get(id);
    if (!found) throw new Error(`${id} has not begun.`);
    return found;
  }

  /** The work that was started last under this id. */
  work(id: ExecutionId): Work {
    const found = this.starts.findLast(({ execution }) => execution === id);
    if (!found) throw new Error(`${id} was not started.`);
    return found.work;
  }

  agentWork(id: ExecutionId): AgentWork {
    return this.work(id) as AgentWork;
  }

  key(id: ExecutionId): string {
    return this.agentWork(id).session.key;
  }

  get startedIds(): string[] {
    return this.starts.map(({ execution, attempt }) =>
      attempt === 1 ? execution : `${execution}#${attempt}`,
    );
  }

  get status() {
    return runStatus(this.graph, this.state);
  }

  /** The status of every execution, by its id. */
  get statuses(): Record<string, string> {
    return Object.fromEntries([...this.state.executions].map(([id, { status }]) => [id, status]));
  }
}

export function play(graph: Graph, inputs: NamedValues = {}): Play {
  return new Play(graph, inputs);
}
