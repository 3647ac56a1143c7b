/** Where a run is: what `fold` makes of its events. Plain data; `apply` alone changes it. */

import type { ErrorView } from "../../errors/errors.ts";
import type { Access } from "../../session/access.ts";
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
  /** Of its stream. */
  seq: number;
  /** `running` until it ends; whether it waits is asked with `isWaiting`. */
  status: Exclude<RunStatus, "waiting" | "stuck">;
  /** Version of the loader that it was started with. */
  format: number;
  inputs: NamedValues;
  folder: string;
  /** The caller's word for what its agents may do. */
  access: Access | null;
  /** The turn that it was started, or last begun again, inside of. */
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
  /** How many keys were minted under each name. */
  readonly minted: Map<string, number>;
  /** Keys of named sessions, by name and the entry that they live in. */
  readonly named: Map<string, string>;
  /** Every key that the run has used, in order. */
  readonly sessions: Set<string>;
  /** What can be decided now without any effect; an execution of it may not have begun. */
  readonly ready: Set<ExecutionId>;
  /** Whose work can begin as soon as there is room, in the order in which it could. */
  readonly queue: Set<ExecutionId>;
  /** Whose work runs; neither gates nor agents that wait for an answer. */
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
  /** In which round each node is; 0 when it is not there. */
  readonly rounds: Map<string, number>;
  /** What the iteration before left in each dock. */
  readonly docks: NamedValues;
  /** For how many nodes each node of it still waits. */
  readonly pending: Map<string, number>;
  /** How many nodes of it have not ended. */
  open: number;
  /** How many works run in it, and in the loops of it. */
  active: number;
  /** What failed it: nothing more begins in it, and what runs is let end. */
  failed: ExecutionId | null;
  /** Retry gates whose retry begins when all that it repeats has ended. */
  readonly draining: Set<string>;
  /** What each retry gate has done so far. */
  readonly retries: Map<string, Retries>;
  /** Entries that loops go on in when they begin anew, as a retry and a rerun of what failed want it. */
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

export interface Execution {
  readonly id: ExecutionId;
  readonly frame: FrameId;
  readonly node: string;
  readonly round: number;
  attempt: number;
  /** How many attempts failed since it began, or was rerun: what `retry.max` is compared with. */
  failures: number;
  status: ExecutionStatus;
  outputs: NamedValues;
  error: ErrorView | null;
  retryAt: number | null;
  session: string | null;
  /** Its key was new to the run when it started. */
  began: boolean;
  /** Turns of this attempt, the last one the current. */
  turns: string[];
  /** Of a script: in which boot of the machine this attempt was started. */
  boot: string | null;
  /** Of a gate: its inbox item; of a retry gate: the feedback it gave last. */
  item: string | null;
  /** Of a loop: the entry and the iteration it is in. */
  entry: number | null;
  iteration: number | null;
  outcome: string | null;
  tokens: number | null;
  /** What its agent was not let do, one line each. */
  denied: readonly string[];
  because: string | null;
  /** Whether other nodes had a part in its outputs; else they are the run's inputs and constants. */
  foreign: boolean;
  /** What was read otherwise than it was given. */
  warnings: readonly string[];
  startedAt: number;
  endedAt: number | null;
}
