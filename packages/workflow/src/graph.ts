/**
 * A workflow as the engine runs it: every name resolved, every default filled in, every shorthand
 * written out. `load` makes one from a file, and `advance` runs it. It contains no state.
 */

import type { Access, OnDenied } from "@reprise/core/session/access";
import type { RunMode } from "@reprise/core/session/policy";
import type { BusyPolicy } from "@reprise/core/session/turn";
import type { Template } from "./template.ts";

export interface Graph {
  readonly name: string;
  /** The name as a part of session keys. */
  readonly slug: string;
  readonly description: string | null;
  /** The default work folder of the nodes; relative to where the run is started. */
  readonly folder: string | null;
  /** The inputs of a run: `run --input name=value`. */
  readonly inputs: readonly Port[];
  /** In the order of the file. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly Edge[];
  /** How many nodes of a run work at the same time. */
  readonly parallel: number;
}

export const portTypes = ["string", "number", "boolean", "json", "any"] as const;
export type PortType = (typeof portTypes)[number];

export interface Port {
  readonly name: string;
  readonly type: PortType;
  /**
   * Without a value the node is skipped; for an input of the run, the run is not started; for an output of
   * a function, the node fails.
   */
  readonly required: boolean;
  /** The value of a port that is not wired or got null; undefined if there is none. */
  readonly default?: unknown;
  readonly description: string | null;
}

/** A position in the file, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type GraphNode =
  | TriggerNode
  | AgentNode
  | ShellNode
  | FunctionNode
  | ConstantNode
  | BranchNode
  | JoinNode
  | WireNode
  | WorkdirNode
  | LoopNode
  | RetryGateNode
  | GateNode
  | OutputNode;
export type NodeType = GraphNode["type"];

interface NodeOf<Type extends string> {
  readonly type: Type;
  /** Unique in the file; contains neither `/` nor `~`. */
  readonly id: string;
  readonly label: string;
  /** The loop that contains it; null at the top level. */
  readonly parent: string | null;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  /** Milliseconds for one attempt. */
  readonly timeout: number | null;
  readonly retry: RetryPolicy | null;
  /** Null if the file does not say: see `run/liveness.ts`. */
  readonly onError: OnError | null;
  readonly position: Position | null;
}

/**
 * What a failure of the node does once its retries are used up. `fail`: the run fails. `skip`: what
 * depends on it is skipped, except conditions on it. `continue`: what depends on it runs, with
 * `success: false` and the error.
 */
export const onErrors = ["fail", "skip", "continue"] as const;
export type OnError = (typeof onErrors)[number];

export interface RetryPolicy {
  /** Further attempts after the first. */
  readonly max: number;
  /** Milliseconds before the first further one; doubled for each that follows, with jitter. */
  readonly backoff: number;
  readonly maxBackoff: number;
}

/** What to do with a node that had started when the process died. */
export type OnInterrupted = "continue" | "fail" | "rerun";

export interface TriggerNode extends NodeOf<"trigger"> {
  readonly triggerType: string;
}

export interface AgentNode extends NodeOf<"agent"> {
  /** Which program: a provider's name, already without aliases (`claude-code` is `claude`). */
  readonly provider: string | null;
  readonly agentClass: string | null;
  readonly agentId: string | null;
  readonly mode: RunMode | null;
  /** The session that it continues, by a name of the workflow. */
  readonly session: SessionName | null;
  /** Starts its own session as a copy of this one. */
  readonly fork: SessionName | null;
  /** A `sessionId` that no run has created may be adopted from the provider. */
  readonly adopt: boolean;
  readonly prompt: Template | null;
  /** JSON Schema that the answer must conform to. */
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  readonly model: string | null;
  readonly folder: Template | null;
  readonly instructions: Template | null;
  /** Provider settings, as for `agent create --set`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly budget: Readonly<Record<string, string | number>> | null;
  readonly busy: BusyPolicy | null;
  /** What its agent may do; a file can lower this but never raise it above the user's `maxAccess`. */
  readonly access: Access | null;
  readonly onDenied: OnDenied | null;
  readonly onInterrupted: OnInterrupted;
}

export interface SessionName {
  readonly name: string;
  readonly scope: "run" | "workflow" | "trigger";
}

export interface ShellNode extends NodeOf<"shell"> {
  /** Values are passed through the environment, never inserted into the script. */
  readonly script: Template;
  readonly folder: Template | null;
  readonly env: Readonly<Record<string, Template>>;
  readonly onInterrupted: OnInterrupted;
}

export interface FunctionNode extends NodeOf<"function"> {
  /** Body of a function of `inputs` that returns an object with the outputs. */
  readonly code: string;
  readonly onInterrupted: OnInterrupted;
}

export interface ConstantNode extends NodeOf<"constant"> {
  readonly value: unknown;
}

/** `true` and `false` are its outputs; what depends on the other one is skipped. */
export interface BranchNode extends NodeOf<"branch"> {
  readonly when: Condition;
}

/** What decides a branch: the input `value` itself, or a comparison with it. */
export type Condition =
  | { readonly test: "true" }
  | { readonly test: "equals"; readonly value: unknown };

/** Joins branches: waits for all that run, and passes their values on. */
export interface JoinNode extends NodeOf<"join"> {
  readonly wait: "all" | "any";
}

export interface WireNode extends NodeOf<"wire"> {}

export interface WorkdirNode extends NodeOf<"workdir"> {
  readonly path: Template;
  /** Creates the folder if it does not exist. */
  readonly create: boolean;
}

export interface LoopNode extends NodeOf<"loop"> {
  readonly maxIterations: number;
  readonly docks: readonly Dock[];
  /**
   * What reaching the maximum does. `done`: the loop ends, and its output `ended` says so. `fail`: it
   * fails. Null, in the long form: `done`, except where the last condition came from a rejected gate or
   * a failed node.
   */
  readonly onMaximum: "done" | "fail" | null;
}

export interface Dock {
  readonly name: string;
  readonly type: "iteration" | "continue" | "until" | "feedback";
  /** Several edges lead to it: its value is an object, keyed by the port of each. */
  readonly keyed: boolean;
}

export interface RetryGateNode extends NodeOf<"retry-gate"> {
  readonly retryTarget: string;
  readonly maxRetries: number;
  /** Inputs that must be true. */
  readonly checks: readonly string[];
  /** Inputs whose text is passed to the target. */
  readonly feedback: readonly string[];
  /** `done`: what needs it runs although it was not passed. `fail`: it fails. Null: what needs it is skipped. */
  readonly onMaximum: "done" | "fail" | null;
}

export interface GateNode extends NodeOf<"gate"> {
  readonly kind: "approval" | "form";
  readonly title: Template;
  /** What the person decides about. */
  readonly message: Template | null;
  /** The first means yes. */
  readonly choices: readonly string[];
  readonly fields: readonly FormField[];
  /** Who may answer; empty for every caller. */
  readonly answerers: readonly string[];
  /** Name of the passphrase that an answer needs. */
  readonly passphrase: string | null;
  /** Milliseconds from its opening. */
  readonly deadline: number | null;
  /** What happens when it passes: one of the choices, or the node fails. */
  readonly onDeadline: { readonly choice: string } | "fail";
  /** What any choice but the first does. `skip`: what depends on it is skipped, except conditions on it. */
  readonly onReject: OnError;
}

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly type: "string" | "number" | "boolean" | "choice";
  readonly choices: readonly string[];
  readonly required: boolean;
  readonly default?: unknown;
}

/** A result of the run, under its name. */
export interface OutputNode extends NodeOf<"output"> {
  readonly name: string;
}

export interface Edge {
  readonly id: string;
  readonly source: EdgeSource;
  readonly target: EdgeTarget;
  /** Takes a part of a dock's object, as the target needs it. */
  readonly select: "sessionId" | "prompt" | null;
  /** From a retry gate back to its target: null until a retry, and no node waits for it. */
  readonly back: boolean;
  /** Ends at an output of a loop only because the file names a node inside that loop from outside. */
  readonly carried: boolean;
  readonly position: Position | null;
}

export type EdgeSource =
  | { readonly from: "output"; readonly node: string; readonly port: string }
  /** An input of the loop, seen from inside. */
  | { readonly from: "loop-input"; readonly node: string; readonly port: string }
  /** The number of the iteration, from 1. */
  | { readonly from: "iteration"; readonly node: string }
  /** The value that the previous iteration left in a dock; null in the first. */
  | { readonly from: "previous"; readonly node: string; readonly dock: string };

export type EdgeTarget =
  | { readonly to: "input"; readonly node: string; readonly port: string }
  /** No value is passed: the target only waits. */
  | { readonly to: "wait"; readonly node: string }
  | { readonly to: "loop-output"; readonly node: string; readonly port: string }
  | { readonly to: "dock"; readonly node: string; readonly dock: string };
