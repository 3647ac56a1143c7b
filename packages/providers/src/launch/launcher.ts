/**
 * How an agent's process is started, watched, found again and ended. The turn's spool folder is the
 * only thing that is needed for any of it, so any process that opens the home can continue.
 */

import type { AgentCommand, Exit } from "../provider.ts";

export interface SpoolSpec {
  readonly turn: string;
  readonly attempt: number;
  readonly prompt: string;
  /** Redacted, for people. */
  readonly argv: readonly string[];
  /** The answers to the agent's questions, for the file that `answersFile` names. */
  readonly answers?: string | null;
  /** JSON Schema of the answer, for the file that `schemaFile` names. */
  readonly schema?: string | null;
}

/**
 * `absent`: there is no spool. `unstarted`: no process has taken the ticket. `withdrawn`: it was taken so that the
 * agent never starts. `running`: the agent or its shim is alive. `ended`: the exit was recorded.
 * `vanished`: the agent was started, none of its processes is alive, and no exit was recorded.
 */
export type SpoolState = "absent" | "unstarted" | "withdrawn" | "running" | "ended" | "vanished";

export interface ProcessInfo {
  readonly pid: number;
  readonly command: string;
}

export interface Launcher {
  /** Writes the spool, whole or not at all; an existing one is left as it is. */
  prepare(spec: SpoolSpec): Promise<void>;
  /** Path of the file with the answers. */
  answersFile(spool: SpoolId): string;
  /** Path of the file with the answer's schema. */
  schemaFile(spool: SpoolId): string;
  /** Starts the shim. Safe to repeat: only the shim that takes the ticket starts the agent. */
  start(spool: SpoolId, command: AgentCommand, folder: string): Promise<void>;
  state(spool: SpoolId): Promise<SpoolState>;
  /** When the spool was written, in milliseconds since 1970: just before its start. Null: there is no spool. */
  preparedAt(spool: SpoolId): Promise<number | null>;
  /** Takes the ticket, so that this spool never starts; false when a shim already has it. */
  withdraw(spool: SpoolId): Promise<boolean>;
  /** Reads all lines until the agent has ended, whichever process started it. */
  follow(spool: SpoolId, options: FollowOptions): Promise<Exit>;
  /** Ends every process of the turn with SIGTERM and, after `grace` ms, SIGKILL; returns when all are gone. */
  end(turn: string, grace: number): Promise<void>;
  /** Records that the turn is cancelled and by whom, for the process that follows it; then ends it. */
  cancel(turn: string, grace: number, by: string | null): Promise<void>;
  /** Whether `cancel` was called for the turn, and by whom. */
  cancelled(turn: string): Promise<{ by: string | null } | null>;
  /** Live processes that carry the turn's mark. */
  survivors(turn: string): Promise<ProcessInfo[]>;
  /** The turns that have a spool and whose ids start with `beginning`. */
  spooled(beginning: string): Promise<string[]>;
  /** Removes the turn's spools. */
  remove(turn: string): Promise<void>;
}

export interface SpoolId {
  readonly turn: string;
  readonly attempt: number;
}

export interface FollowOptions {
  readonly onLine: (line: string) => void;
  /** A line longer than 64 MiB was left out. */
  readonly onDropped?: (bytes: number) => void;
  /** Stops following; the agent keeps running. */
  readonly signal?: AbortSignal;
}
