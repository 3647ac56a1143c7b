/** What `advance` wants done next. Each command is executed by appending events, and only once. */

import type { AgentNode, FunctionNode, GateNode, ShellNode, WorkdirNode } from "../graph.ts";
import type { NamedValues, RunEvent } from "./event.ts";
import type { ExecutionId } from "./execution.ts";

export type RunCommand =
  /** A consequence without any effect: it only has to be recorded. */
  | { readonly do: "append"; readonly event: RunEvent }
  /** Record `node.started`, then do the work, and record its result. */
  | {
      readonly do: "start";
      readonly execution: ExecutionId;
      readonly attempt: number;
      readonly work: Work;
    }
  /** Open an inbox item and record `gate.opened` in one step. */
  | { readonly do: "open-gate"; readonly execution: ExecutionId; readonly gate: OpenGate }
  /** Nothing can continue before then. */
  | { readonly do: "wait"; readonly until: number };

export type Work = AgentWork | ShellWork | FunctionWork | WorkdirWork;

export interface AgentWork {
  readonly type: "agent";
  readonly node: AgentNode;
  readonly inputs: NamedValues;
  readonly prompt: string;
  readonly folder: string | null;
  readonly instructions: string | null;
  readonly session: SessionUse;
  /** The names of its outputs that something in the workflow reads. */
  readonly reads: readonly string[];
}

/** Which session a node's turn goes to. */
export interface SessionUse {
  readonly key: string;
  /** `begin`: this execution creates the key. `continue`: it continues the session, if there is one. */
  readonly how: "begin" | "continue";
  // The following are for a key that has no session yet, even if an earlier attempt should have created it.
  /** Start as a copy of this key's session. */
  readonly fork: string | null;
  /** The id of a provider session that is to be adopted under `key`. */
  readonly adopt: string | null;
  /** Messages to import into the new key. */
  readonly messages: readonly { readonly role: string; readonly content: string }[] | null;
}

export interface ShellWork {
  readonly type: "shell";
  readonly node: ShellNode;
  readonly inputs: NamedValues;
  /** Every value in the script is written as `${REPRISE_VALUE_n}`, and is in `env`. */
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string | null;
}

export interface FunctionWork {
  readonly type: "function";
  readonly node: FunctionNode;
  readonly inputs: NamedValues;
}

export interface WorkdirWork {
  readonly type: "workdir";
  readonly node: WorkdirNode;
  readonly path: string;
}

export interface OpenGate {
  readonly node: GateNode;
  readonly title: string;
  readonly message: string | null;
  /** Milliseconds from its opening. */
  readonly deadline: number | null;
  /** Every session that the run has used so far: held while the gate is open. */
  readonly sessions: readonly string[];
}
