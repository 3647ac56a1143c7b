/**
 * The interface between a run's owner and the workers that execute its nodes: a worker gets its work and a
 * context, and returns how it ended. It writes to the run only through `note`.
 */

import type { ErrorView } from "@reprise/core/errors/errors";
import type { Access } from "@reprise/core/session/access";
import type { FailureKind } from "@reprise/workflow/run/after-failure";
import type {
  AgentWork,
  FunctionWork,
  ShellWork,
  Work,
  WorkdirWork,
} from "@reprise/workflow/run/command";
import type { NamedValues, RunEvent } from "@reprise/workflow/run/event";
import type { ExecutionId } from "@reprise/workflow/run/execution";
import type { Engine } from "../../engine.ts";

export interface WorkContext {
  readonly engine: Engine;
  readonly run: string;
  readonly execution: ExecutionId;
  readonly attempt: number;
  /** The run's folder, absolute; a node's own folder is relative to it. */
  readonly folder: string;
  /** A person started the run: it does not wait for an agent that is in use. */
  readonly manual: boolean;
  /** How the first turn of every session that the run continues begins; null: resumed. */
  readonly continuity: "reseed" | "blank" | null;
  /** The caller's access for all agents of the run. */
  readonly access: Access | null;
  /** The turn that the run was started from; such a run does not wait for a free agent or script. */
  readonly within: string | null;
  /** Cancel: end all its processes, then end as `cancelled`. May already be aborted at the start. */
  readonly signal: AbortSignal;
  /** Leave: keep its processes running, and end as `left`. */
  readonly leave: AbortSignal;
  /**
   * It was started before by a process that is gone, or its agent was answered meanwhile: adopt what is
   * running and take its result; otherwise make sure that nothing is running, and end as `interrupted`.
   */
  readonly recovered: boolean;
  /** The machine was rebooted since a script was started; a file may not have reached the disk. */
  readonly rebooted: boolean;
  /** For agents: the key, and the turns of this attempt, oldest first; the last id was chosen before the start. */
  readonly session: string | null;
  readonly turns: readonly string[];
  /** Writes an event while the work is running, and returns when it is durable. */
  note(event: RunEvent): Promise<void>;
}

export type WorkEnd =
  | {
      readonly type: "done";
      readonly outputs: NamedValues;
      readonly outcome?: string;
      readonly tokens?: number;
      /** For agents: what they were denied. */
      readonly denied?: readonly string[];
      /** Called when this end is durable: removes what a recovery would have needed. */
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
      /** When to retry, if the provider says so (milliseconds since 1970). */
      readonly retryAt?: number | null;
      readonly settled?: () => Promise<void>;
    }
  /** Its agent asked a question: the turn is parked, and no process is left. */
  | { readonly type: "waiting"; readonly turn: string }
  /** After `leave`: it continues without us, and the next owner takes its result. */
  | { readonly type: "left" };

export type { FailureKind };

export type Worker<Kind extends Work> = (context: WorkContext, work: Kind) => Promise<WorkEnd>;

export interface Workers {
  readonly agent: Worker<AgentWork>;
  readonly shell: Worker<ShellWork>;
  readonly function: Worker<FunctionWork>;
  readonly workdir: Worker<WorkdirWork>;
}
