/** Runs: workflows that were started, with the execution of each of their nodes. */

import type { ErrorView } from "../errors/errors.ts";
import type { Access } from "../session/access.ts";
import type { EventView } from "./home.ts";
import type { LookOptions } from "./sessions.ts";

export interface StartRun {
  /** Text of the workflow, YAML or JSON. */
  source: string;
  /** File that the text was read from, for messages. */
  path?: string | null | undefined;
  inputs?: Record<string, unknown> | undefined;
  /** Id for the run, for stable session keys; a new one unless given. */
  id?: string | null | undefined;
  /** Folder that its nodes work in; otherwise the workflow's own, otherwise the current one. */
  folder?: string | null | undefined;
  /** What started it, for sessions of scope `trigger`. */
  trigger?: string | null | undefined;
  /** Applies to the first turn of every session that the run would continue. */
  continuity?: "reseed" | "blank" | null | undefined;
  by?: string | null | undefined;
  /** Maximum access of its agents, and the access of those without their own; overrides `maxAccess`. */
  access?: Access | null | undefined;
  /** Id of the turn that this call is made from; nodes of such a run do not wait for a free agent or script. */
  within?: string | null | undefined;
}

/** A finding about a workflow file. */
export interface WorkflowFinding {
  severity: "error" | "warning";
  code: string;
  message: string;
  hint: string;
  position: { line: number; column: number } | null;
  /** Id of the node that it is about; null if it is about the file. */
  node: string | null;
  /** The port or the dock of that node; null if it is about the whole node. */
  port: string | null;
}

export interface RunPlan {
  workflow: string;
  inputs: Record<string, unknown>;
  folder: string;
  warnings: WorkflowFinding[];
  /** In the order of the file. */
  steps: {
    node: string;
    type: string;
    parent: string | null;
    about: string;
    /** Key that an agent's turns go to; `RUN` is a placeholder for the run's id. */
    session: string | null;
    /** How the agent's first turn would begin now; null if that is not known or not for this caller. */
    turn: { outcome: "resume" | "reseed" | "blank" | "refuse"; why: string } | null;
  }[];
}

export interface ValidateWorkflow {
  /** Text of the workflow, YAML or JSON. */
  source: string;
  /** Count warnings as errors. */
  strict?: boolean | undefined;
}

/** What a check of a workflow's text found. */
export interface WorkflowReport {
  /** True without an error. */
  ok: boolean;
  nodes: number;
  edges: number;
  /** In the order of the file. */
  findings: WorkflowFinding[];
}

export interface RunView {
  id: string;
  workflow: string;
  path: string | null;
  /**
   * `rejected`: nothing failed, and a person rejected a gate that no condition reads. `stuck`: Reprise could not
   * advance the run; its inbox item says why.
   */
  status: "running" | "waiting" | "stuck" | "done" | "failed" | "rejected" | "cancelled";
  /** The process that ran it is gone, and no other has taken it over. */
  stalled: boolean;
  error: ErrorView | null;
  startedAt: number;
  updatedAt: number;
  endedAt: number | null;
}

/** One execution of a node. */
export interface ExecutionView {
  /** `coder`, `review/2/coder`, `coder~1`. */
  id: string;
  node: string;
  label: string;
  type: string;
  /** Iterations of the loops around it, outermost first. */
  iterations: number[];
  round: number;
  attempt: number;
  status: "running" | "waiting" | "retrying" | "done" | "failed" | "skipped" | "cancelled";
  outputs: Record<string, unknown>;
  error: ErrorView | null;
  because: string | null;
  /** Values that were converted before use. */
  warnings: string[];
  session: string | null;
  turn: string | null;
  /** How its session continued: `resume`, `reseed` or `blank`. */
  outcome: string | null;
  tokens: number | null;
  /** Tools that its agent was denied, one line each. */
  denied: string[];
  item: string | null;
  startedAt: number;
  endedAt: number | null;
}

/** The workflow as a graph, as the page draws it. */
export interface RunGraph {
  nodes: {
    id: string;
    label: string;
    type: string;
    parent: string | null;
    about: string;
    /** Defaults that apply to the node: on a rejection, on an error, and whose feedback it gets. */
    implied: string[];
  }[];
  edges: { from: string; to: string; label: string; back: boolean }[];
}

export interface RunDetail extends RunView {
  source: string;
  graph: RunGraph;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
  folder: string;
  executions: ExecutionView[];
  sessions: string[];
  /** Ids of inbox items and turns that wait for a person. */
  waitsFor: string[];
  /** What the file leaves open, and the rule that was applied. */
  warnings: WorkflowFinding[];
}

export interface Rerun {
  run: string;
  /** Node to run again with everything downstream of it; without `from` and `fromStart`, the failed nodes. */
  from?: string | null | undefined;
  fromStart?: boolean | undefined;
  by?: string | null | undefined;
  /** Id of the turn that this call is made from, as of a start. */
  within?: string | null | undefined;
}

export interface CancelRun {
  run: string;
  by?: string | null | undefined;
}

/**
 * @deprecated The earlier name of `RunOptions`.
 * @public
 */
export type CarryOptions = RunOptions;

export interface RunOptions {
  /** Aborting cancels the run and ends its processes; its sessions stay. */
  readonly signal?: AbortSignal;
  /** Aborting stops driving the run and leaves it as it is; another process can continue it. */
  readonly leave?: AbortSignal;
}

export interface StartOptions {
  /** Called once, when the request is stored and before the next node starts. */
  readonly onStarted?: (run: string) => void;
}

/** Workflow runs of the home. */
export interface RunsApi {
  /**
   * Starts a workflow and drives it until it finishes or needs human input.
   * @throws UsageError `bad-workflow` when the workflow has errors; nothing is stored then.
   * @example
   * const source = `
   * name: review
   * steps:
   *   code:
   *     agent: coder
   *     prompt: Fix the parser.
   * `;
   * const run = await reprise.runs.start({ source, id: "review-42" });
   * console.log(run.status, run.outputs);
   */
  start(start: StartRun, options?: RunOptions & StartOptions): Promise<RunDetail>;
  /**
   * Shows what `start` would run, with the same checks. Changes nothing, and starts no program that the workflow
   * names: only programs of agents, classes and providers are probed.
   * @throws UsageError `bad-workflow` when the workflow has errors.
   * @example
   * const { steps } = await reprise.runs.plan({ source: "name: empty\nsteps: {}" });
   */
  plan(start: StartRun, options?: LookOptions): Promise<RunPlan>;
  /**
   * Checks a workflow's text: errors, and what it leaves open. Unlike `plan` it needs no inputs, and looks at nothing
   * on this machine.
   * @example
   * const { ok, findings } = await reprise.runs.validate({ source: "name: empty\nsteps: {}" });
   * for (const { position, message } of findings) console.log(position?.line, message);
   */
  validate(workflow: ValidateWorkflow): Promise<WorkflowReport>;
  /**
   * Lists runs, newest first, 50 unless `limit` is given. `after` is the id of the last run of the page before.
   * @example
   * const failed = await reprise.runs.list({ status: "failed", limit: 10 });
   */
  list(query?: {
    status?: RunView["status"];
    workflow?: string;
    after?: string;
    limit?: number;
  }): Promise<RunView[]>;
  /**
   * Counts runs.
   * @example
   * const waiting = await reprise.runs.count({ status: "waiting" });
   */
  count(query?: { status?: RunView["status"]; workflow?: string }): Promise<number>;
  /**
   * Shows a run with its executions, by its id or a unique prefix of it.
   * @throws NotFoundError `no-run`
   * @example
   * const { executions } = await reprise.runs.show("review-42");
   */
  show(run: string): Promise<RunDetail>;
  /**
   * Yields the events of a run, past ones first, until the run ends or `signal` aborts. `follow: false` stops at
   * the present.
   * @example
   * for await (const { type } of reprise.runs.events("review-42")) console.log(type);
   */
  events(
    run: string,
    options?: { after?: number; follow?: boolean; signal?: AbortSignal },
  ): AsyncIterable<EventView>;
  /**
   * Cancels a run: ends its processes and keeps its sessions. A run that has ended stays as it is.
   * @example
   * await reprise.runs.cancel({ run: "review-42", by: "ann" });
   */
  cancel(cancel: CancelRun): Promise<RunView>;
  /**
   * Runs a run again: its failed nodes, from a node, or from its start. Its sessions continue.
   * @example
   * const run = await reprise.runs.rerun({ run: "review-42", from: "code" });
   */
  rerun(rerun: Rerun, options?: RunOptions & StartOptions): Promise<RunDetail>;
  /**
   * Continues a run that no process drives: after a crash, or once its gate was answered.
   * @throws BusyError when another process drives it.
   * @example
   * const run = await reprise.runs.continue("review-42");
   */
  continue(run: string, options?: RunOptions & StartOptions): Promise<RunDetail>;
  /**
   * The earlier name of `continue`.
   * @deprecated Use `continue`; this name is removed in the next version.
   * @example
   * const run = await reprise.runs.continue("review-42");
   */
  carryOn(run: string, options?: RunOptions & StartOptions): Promise<RunDetail>;
  /**
   * Continues every run that no process drives and that can advance. A server does this when it starts; not
   * available over a connection.
   * @example
   * const continued = await reprise.runs.recover();
   */
  recover(options?: RunOptions): Promise<RunView[]>;
}
