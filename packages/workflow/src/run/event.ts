/** The events of a run in order, which is all that is stored of it. `fold` makes the state from them, and
 * `advance` decides from the state what comes next.
 */

import type { ErrorView } from "@reprise/core/errors/errors";
import type { Access } from "@reprise/core/session/access";
import type { ExecutionId } from "./execution.ts";

export type NamedValues = Readonly<Record<string, unknown>>;

export type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;

export type RunEvent =
  /** The file's text is stored, so changes of the file do not affect the run. */
  | {
      readonly type: "run.started";
      readonly workflow: string;
      readonly source: string;
      /** Version of the loader that must read it. */
      readonly format: number;
      /** The setting of that name when the file was read; false if missing. */
      readonly legacyPersistentResumes?: boolean;
      readonly inputs: NamedValues;
      readonly folder: string;
      /** Path of the file, for people. */
      readonly path: string | null;
      readonly trigger: string | null;
      /** `--reseed` or `--blank`, for the first turn of every session that the run would continue. */
      readonly continuity?: "reseed" | "blank" | null;
      readonly by: string | null;
      /** The access that the caller set for its agents. */
      readonly access?: Access | null;
      /** The turn inside which it was started, and which may be waiting for it. */
      readonly within?: string;
    }
  /** A node with an effect is about to start; everything it needs is recorded first. */
  | {
      readonly type: "node.started";
      readonly execution: ExecutionId;
      readonly attempt: number;
      /** For agents: the key that it continues or begins, and its turn. */
      readonly session?: string;
      readonly turn?: string;
      /** For scripts: the boot of the machine, because files may be missing after a reboot. */
      readonly boot?: string;
    }
  /** The agent was asked again in the same session, because its answer did not conform to the schema. */
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
  /** The agent's question was answered: it continues. */
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
      /** For agents: the outcome of the session's decision, and the usage. */
      readonly outcome?: string;
      readonly tokens?: number;
      /** What its agent was denied, one line each. */
      readonly denied?: readonly string[];
    }
  | {
      readonly type: "node.failed";
      readonly execution: ExecutionId;
      readonly attempt: number;
      readonly error: ErrorView;
      /** Outputs that it has although it failed: `sessionId`, `exitCode`. */
      readonly outputs: NamedValues;
      /** When it is retried; null if it is not. */
      readonly retryAt: number | null;
      readonly outcome?: string;
      readonly tokens?: number;
      /** What its agent was denied, one line each. */
      readonly denied?: readonly string[];
    }
  | { readonly type: "node.skipped"; readonly execution: ExecutionId; readonly because: string }
  /** `entry` counts how often the loop was entered; a retry continues in the same entry. */
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
  /** Reprise could not advance the run; `item` asks a person. Nothing else changes. */
  | {
      readonly type: "run.stuck";
      readonly item: string;
      readonly failures: number;
      readonly error: ErrorView;
    }
  /** A person chose to retry a stuck run. */
  | { readonly type: "run.retried"; readonly by: string | null; readonly item: string }
  /** `failed`: the failed nodes again. A node: it and everything downstream of it. `start`: everything. */
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
      /** Left out if they are large: the events of the nodes have them. */
      readonly outputs?: NamedValues;
      readonly error: ErrorView | null;
    };
