/**
 * What happens in a run, in the order in which it happened: the only thing that is kept of it. `fold`
 * makes the state from it, and `advance` says from that what comes next.
 */

import type { ErrorView } from "../../errors/errors.ts";
import type { Access } from "../../session/access.ts";
import type { ExecutionId } from "./execution.ts";

export type NamedValues = Readonly<Record<string, unknown>>;

export type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

export type RunEvent =
  /** The file's text is kept: the run goes by it whatever becomes of the file. */
  | {
      readonly type: "run.started";
      readonly workflow: string;
      readonly source: string;
      /** Version of the loader that must read it. */
      readonly format: number;
      /** The setting of that name, by which it was read; false when it is not there. */
      readonly legacyPersistentResumes?: boolean;
      readonly inputs: NamedValues;
      readonly folder: string;
      /** Path of the file, for people. */
      readonly path: string | null;
      readonly trigger: string | null;
      /** `--reseed` or `--blank`, for the first turn of every session that the run would continue. */
      readonly continuity?: "reseed" | "blank" | null;
      readonly by: string | null;
      /** The caller's word for what its agents may do. */
      readonly access?: Access | null;
      /** The turn that it was started inside of, which may be waiting for it. */
      readonly within?: string;
    }
  /** A node with an effect is about to be carried out; what it needs is known before it begins. */
  | {
      readonly type: "node.started";
      readonly execution: ExecutionId;
      readonly attempt: number;
      /** Of agents: the key that it continues or begins, and the turn that does it. */
      readonly session?: string;
      readonly turn?: string;
      /** Of scripts: the boot of the machine, since files that are missing after another one prove nothing. */
      readonly boot?: string;
    }
  /** The agent was asked once more in the same session, because its answer did not fit. */
  | {
      readonly type: "node.asked";
      readonly execution: ExecutionId;
      readonly attempt: number;
      readonly turn: string;
    }
  /** Its agent waits for an answer. */
  | {
      readonly type: "node.waiting";
      readonly execution: ExecutionId;
      readonly attempt: number;
      readonly turn: string;
    }
  /** Somebody answered its agent: it goes on. */
  | {
      readonly type: "node.answered";
      readonly execution: ExecutionId;
      readonly attempt: number;
      readonly turn: string;
      readonly by: string | null;
    }
  | {
      readonly type: "node.done";
      readonly execution: ExecutionId;
      readonly attempt: number;
      readonly outputs: NamedValues;
      /** Of agents: how the session went on, and what it used. */
      readonly outcome?: string;
      readonly tokens?: number;
      /** What its agent was not let do, one line each. */
      readonly denied?: readonly string[];
    }
  | {
      readonly type: "node.failed";
      readonly execution: ExecutionId;
      readonly attempt: number;
      readonly error: ErrorView;
      /** What it emits all the same: `sessionId`, `exitCode`. */
      readonly outputs: NamedValues;
      /** When it is tried again; null when it is not. */
      readonly retryAt: number | null;
      readonly outcome?: string;
      readonly tokens?: number;
      /** What its agent was not let do, one line each. */
      readonly denied?: readonly string[];
    }
  | { readonly type: "node.skipped"; readonly execution: ExecutionId; readonly because: string }
  /** `entry` counts how often the loop was entered; a retry gate goes on in the same one. */
  | { readonly type: "loop.entered"; readonly execution: ExecutionId; readonly entry: number }
  | {
      readonly type: "iteration.began";
      readonly loop: ExecutionId;
      readonly iteration: number;
    }
  /** The loop itself ends with its `node.done` or `node.failed`. */
  | {
      readonly type: "gate.opened";
      readonly execution: ExecutionId;
      readonly item: string;
      readonly deadline: number | null;
    }
  | {
      readonly type: "gate.answered";
      readonly execution: ExecutionId;
      readonly item: string;
      readonly choice: string;
      readonly by: string;
      readonly comment: string | null;
      readonly values: NamedValues;
    }
  | { readonly type: "gate.expired"; readonly execution: ExecutionId; readonly item: string }
  /** A check failed: the target and what is downstream of it get another round. */
  | {
      readonly type: "retry.begun";
      readonly execution: ExecutionId;
      readonly retry: number;
      readonly feedback: string;
    }
  | { readonly type: "run.cancelling"; readonly by: string | null }
  /** Reprise could not advance it; `item` asks a person. Nothing else of the run changes. */
  | {
      readonly type: "run.stuck";
      readonly item: string;
      readonly failures: number;
      readonly error: ErrorView;
    }
  /** A person let a stuck run be tried again. */
  | { readonly type: "run.retried"; readonly by: string | null; readonly item: string }
  /** `failed`: the failed nodes once more. A node: it and what is downstream of it. `start`: everything. */
  | {
      readonly type: "run.rerun";
      readonly from:
        | { readonly what: "failed" | "start" }
        | { readonly what: "node"; readonly node: string };
      readonly by: string | null;
      readonly within?: string;
    }
  | {
      readonly type: "run.ended";
      readonly status: "done" | "failed" | "rejected" | "cancelled";
      readonly outputs: NamedValues;
      readonly error: ErrorView | null;
    };
