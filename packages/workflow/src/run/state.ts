/** The state of a run, made from its events by `fold`. Plain data that only `apply` changes. */

import type { ErrorView } from "@reprise/core/errors/errors";
import type { Access } from "@reprise/core/session/access";
import type { NodeType } from "../graph.ts";
import type { NamedValues } from "./event.ts";
import type { ExecutionId, FrameId } from "./execution.ts";

export type RunStatus =
  | "running"
  | "waiting"
  | "stuck"
  | "done"
  | "failed"
  | "rejected"
  | "cancelled";

export interface RunState {
  readonly id: string;
  /** Number of the last event in its stream. */
  seq: number;
  /** `running` until it ends; `isWaiting` says whether it waits. */
  status: Exclude<RunStatus, "waiting" | "stuck">;
  /** Version of the loader that it was started with. */
  format: number;
  inputs: NamedValues;
  folder: string;
  /** The access that the caller set for its agents. */
  access: Access | null;
  /** The turn inside which it was started or last rerun. */
  within: string | null;
  trigger: string | null;
  /** For the first turn of every session that the run would continue. */
  continuity: "reseed" | "blank" | null;
  startedAt: number;
  endedAt: number | null;
  cancelling: boolean;
  outputs: NamedValues;
  error: ErrorView | null;
  readonly frames: Map<FrameId, Frame>;
  readonly executions: Map<ExecutionId, Execution>;
  /** How often each loop, and under `""` the run itself, was entered. */
  readonly entries: Map<string, number>;
  /** How many keys were created under each name. */
  readonly minted: Map<string, number>;
  /** Keys of named sessions, by name and the entry that they live in. */
  readonly named: Map<string, string>;
  /** Every key that the run has used, in order. */
  readonly sessions: Set<string>;
  /** Executions that can be decided now without any effect; they may not have started. */
  readonly ready: Set<ExecutionId>;
  /** Executions whose work can start, in order. */
  readonly queue: Set<ExecutionId>;
  /** Executions whose work runs; no gates, and no agents that wait for an answer. */
  readonly active: Set<ExecutionId>;
  readonly retrying: Set<ExecutionId>;
  /** Gates, and agents that wait for an answer. */
  readonly waiting: Set<ExecutionId>;
}

/** One iteration of a loop, or the whole run. */
export interface Frame {
  readonly id: FrameId;
  /** The loop's execution; null for the whole run. */
  readonly loop: ExecutionId | null;
  readonly iteration: number;
  /** The round of each node; 0 if missing. */
  readonly rounds: Map<string, number>;
  /** The value that the previous iteration left in each dock. */
  readonly docks: NamedValues;
  /** For how many nodes each node of it still waits. */
  readonly pending: Map<string, number>;
  /** How many nodes of it have not ended. */
  open: number;
  /** How much work runs in it and in the loops inside it. */
  active: number;
  /** What failed it: nothing more starts in it, and running work may finish. */
  failed: ExecutionId | null;
  /** Retry gates whose retry begins when all that it repeats has ended. */
  readonly draining: Set<string>;
  /** What each retry gate has done so far. */
  readonly retries: Map<string, Retries>;
  /** The entries in which loops continue after a retry or a rerun of failed nodes. */
  readonly kept: Map<string, number>;
}

export interface Retries {
  readonly count: number;
  /** As it was given last. */
  readonly feedback: string;
}

export type ExecutionStatus =
  | "running"
  | "waiting"
  | "retrying"
  | "done"
  | "failed"
  | "skipped"
  | "cancelled";

/** One execution of a node, by the type of the node. */
export type Execution =
  | AgentExecution
  | ShellExecution
  | GateExecution
  | LoopExecution
  | PlainExecution;

interface ExecutionOf<Type extends NodeType> {
  readonly type: Type;
  readonly id: ExecutionId;
  readonly frame: FrameId;
  readonly node: string;
  readonly round: number;
  attempt: number;
  /** Failed attempts since it started or was rerun; compared with `retry.max`. */
  failures: number;
  status: ExecutionStatus;
  outputs: NamedValues;
  error: ErrorView | null;
  retryAt: number | null;
  because: string | null;
  /** Whether other nodes influenced its outputs; else they come only from the run's inputs and constants. */
  foreign: boolean;
  /** Values that were converted, for people. */
  warnings: readonly string[];
  startedAt: number;
  endedAt: number | null;
}

export interface AgentExecution extends ExecutionOf<"agent"> {
  session: string | null;
  /** Its key was new to the run when it started. */
  began: boolean;
  /** Turns of this attempt, the last one the current. */
  turns: string[];
  /** How its last turn began, such as `resume`. */
  outcome: string | null;
  tokens: number | null;
  /** What it was denied, one line each. */
  denied: readonly string[];
}

interface ShellExecution extends ExecutionOf<"shell"> {
  /** The boot of the machine in which this attempt was started. */
  boot: string | null;
}

interface GateExecution extends ExecutionOf<"gate"> {
  /** Its inbox item. */
  item: string | null;
}

export interface LoopExecution extends ExecutionOf<"loop"> {
  /** Its current entry and iteration. */
  entry: number | null;
  iteration: number | null;
}

type PlainExecution = ExecutionOf<Exclude<NodeType, "agent" | "shell" | "gate" | "loop">>;
