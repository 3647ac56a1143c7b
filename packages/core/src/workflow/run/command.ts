/** What `advance` wants done next. Each is carried out by appending events; none is done twice. */

import type { AgentNode, FunctionNode, GateNode, ShellNode, WorkdirNode } from "../graph.ts";
import type { NamedValues, RunEvent } from "./event.ts";
import type { ExecutionId } from "./execution.ts";

export type RunCommand =
  /** Something follows from what happened, without any effect: it is only to be written down. */
  | { readonly do: "append"; readonly event: RunEvent }
  /** Write `node.started`, then carry the work out, and write what it came to. */
  | {
      readonly do: "start";
      readonly execution: ExecutionId;
      readonly attempt: number;
      readonly work: Work;
    }
  /** Open an inbox item and write `gate.opened`, in one. */
  | { readonly do: "open-gate"; readonly execution: ExecutionId; readonly gate: OpenGate }
  /** Nothing can go on before then. */
  | { readonly do: "wait"; readonly until: number };

export type Work = AgentWork | ShellWork | FunctionWork | WorkdirWork;

export interface AgentWork {
  readonly node: AgentNode;
  readonly inputs: NamedValues;
  readonly prompt: string;
  readonly folder: string | null;
  readonly instructions: string | null;
  readonly session: SessionUse;
}

/** Which session a node's turn goes to. */
export interface SessionUse {
  readonly key: string;
  /** `begin`: the key is made by this execution. `continue`: it goes on where it was, if there is anything. */
  readonly how: "begin" | "continue";
  // The following are for a key under which nothing is yet, also when an earlier attempt was to make it.
  /** Begin as a copy of this key's past. */
  readonly fork: string | null;
  /** Not ours yet: a provider's own id that is to be taken over under `key`. */
  readonly adopt: string | null;
  /** Messages that are to be imported into the new key. */
  readonly messages: readonly { readonly role: string; readonly content: string }[] | null;
}

export interface ShellWork {
  readonly node: ShellNode;
  readonly inputs: NamedValues;
  /** Every value of the script is `${REPRISE_VALUE_n}` in it, and stands in `env`. */
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string | null;
}

export interface FunctionWork {
  readonly node: FunctionNode;
  readonly inputs: NamedValues;
}

export interface WorkdirWork {
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
