/**
 * The seam between the driver of runs and what carries out one node: a worker gets its work and a
 * context, and says how it ended. It writes nothing to the run itself but through `note`.
 */

import type { ErrorView } from "@reprise/core/errors/errors";
import type { Access } from "@reprise/core/session/access";
import type { FailureKind } from "@reprise/core/workflow/run/after-failure";
import type {
  AgentWork,
  FunctionWork,
  ShellWork,
  Work,
  WorkdirWork,
} from "@reprise/core/workflow/run/command";
import type { NamedValues, RunEvent } from "@reprise/core/workflow/run/event";
import type { ExecutionId } from "@reprise/core/workflow/run/execution";
import type { Engine } from "../../engine.ts";

export interface WorkContext {
  readonly engine: Engine;
  readonly run: string;
  readonly execution: ExecutionId;
  readonly attempt: number;
  /** Of the run, absolute: what a node's own folder is relative to. */
  readonly folder: string;
  /** A person started the run: it does not wait for an agent that is at work. */
  readonly manual: boolean;
  /** What the run does with the first turn of every session that it would continue; null: continue. */
  readonly continuity: "reseed" | "blank" | null;
  /** The caller's word for all agents of the run. */
  readonly access: Access | null;
  /** Cancel: end every process of it, then end as `cancelled`. May be aborted from the beginning. */
  readonly signal: AbortSignal;
  /** Let go: leave what runs running, and end as `left`. */
  readonly leave: AbortSignal;
  /**
   * It had started before, in a process that is gone, or its agent was answered meanwhile: adopt what
   * lives and take what it came to; else make sure that nothing of it runs, and end as `interrupted`.
   */
  readonly recovered: boolean;
  /** Of a script: it was started before the machine was; a file may not have reached the disk. */
  readonly rebooted: boolean;
  /** Of agents: the key, and the turns of this attempt, oldest first; the last id was chosen before the start. */
  readonly session: string | null;
  readonly turns: readonly string[];
  /** Writes an event in the middle of the work, and returns when it is durable. */
  note(event: RunEvent): Promise<void>;
}

export type WorkEnd =
  | {
      readonly type: "done";
      readonly outputs: NamedValues;
      readonly outcome?: string;
      readonly tokens?: number;
      /** Of agents: what they were not let do. */
      readonly denied?: readonly string[];
      /** Called when this end is durable: what a recovery would have needed can go. */
      readonly settled?: () => Promise<void>;
    }
  | {
      readonly type: "failed";
      readonly kind: FailureKind;
      readonly error: ErrorView;
      readonly outputs: NamedValues;
      readonly outcome?: string;
      readonly tokens?: number;
      readonly denied?: readonly string[];
      /** When trying again makes sense, if the other side says so (milliseconds since 1970). */
      readonly retryAt?: number | null;
      readonly settled?: () => Promise<void>;
    }
  /** Its agent asked something: the turn is parked, and no process is left. */
  | { readonly type: "waiting"; readonly turn: string }
  /** Answer to `leave`: it goes on without us, or whoever comes next finds out. */
  | { readonly type: "left" };

export type { FailureKind };

export type Worker<Kind extends Work> = (context: WorkContext, work: Kind) => Promise<WorkEnd>;

export interface Workers {
  readonly agent: Worker<AgentWork>;
  readonly shell: Worker<ShellWork>;
  readonly function: Worker<FunctionWork>;
  readonly workdir: Worker<WorkdirWork>;
}
