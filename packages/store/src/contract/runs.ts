/** Runs of workflows: their owner and the steps that it writes. */

import type { ErrorView } from "@reprise/core/errors/errors";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import type { RunStatus } from "@reprise/workflow/run/state";
import type { NewDue } from "./due.ts";
import type { NewEvent } from "./events.ts";
import type { NewItem } from "./inbox.ts";

/** A run as lists show it; its events are in its stream, `run:<id>`. */
export interface Run {
  readonly id: string;
  readonly workflow: string;
  /** Path of the file, for display. */
  readonly path: string | null;
  readonly status: RunStatus;
  /** The process that drives it; null if none does. */
  readonly owner: ProcessIdentity | null;
  /** Fencing token; grows with every owner. */
  readonly token: number;
  /** The last sequence number of its stream. */
  readonly seq: number;
  readonly error: ErrorView | null;
  /** How often in a row it could not be advanced. */
  readonly failures: number;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
}

/** One step of a run. */
export interface RunAdvance {
  readonly run: string;
  readonly token: number;
  readonly expectedSeq: number;
  readonly events: readonly NewEvent[];
  readonly status: RunStatus;
  readonly error: ErrorView | null;
  readonly opens: readonly NewItem[];
  readonly due: readonly NewDue[];
  readonly at: number;
}

export interface RunStore {
  /** Writes the run with its first event, owned by `owner`. @throws TerminalError `run-exists` */
  createRun(creation: {
    id: string;
    workflow: string;
    path: string | null;
    event: NewEvent;
    owner: ProcessIdentity;
    at: number;
  }): Promise<Run>;
  readRun(id: string): Promise<Run | null>;
  /** Runs whose id begins with `prefix`. */
  findRuns(prefix: string, limit: number): Promise<string[]>;
  /** Newest first. */
  listRuns(query: {
    status?: RunStatus;
    workflow?: string;
    before?: Run;
    limit: number;
  }): Promise<Run[]>;
  countRuns(query: { status?: RunStatus; workflow?: string }): Promise<number>;
  /**
   * A page of the runs that have not ended and have an owner, or are `running` without one, oldest first, after
   * the run `after`. With `leftBy`, only those without an owner or owned by one of these processes.
   */
  listActiveRuns(query: {
    leftBy?: readonly ProcessIdentity[];
    after?: Run;
    limit: number;
  }): Promise<Run[]>;
  /**
   * Sets the owner, or removes it, if `token` is current. Returns the new token, otherwise null. A run that has
   * ended has no owner.
   */
  takeRun(take: {
    run: string;
    token: number;
    owner: ProcessIdentity | null;
  }): Promise<number | null>;
  /**
   * Appends events and everything that follows from them: the run's status, opened inbox items (their existing
   * sessions are held by `gate:<item>`), and due rows. A run that ends closes its open items as `cancelled`,
   * releases the sessions of all its items, and loses its owner; a due `deadline:<item>` is removed with its
   * item.
   * @throws FencedError if `token` is stale or the run has ended; @throws StoreError `conflict` if the stream is
   * not at `expectedSeq`.
   */
  advanceRun(advance: RunAdvance): Promise<number>;
  /**
   * The same, buffered: for a step that may be taken again after a power loss, because it leaves no trace
   * outside and no caller knows of it.
   */
  advanceRunBuffered(advance: RunAdvance): Promise<number>;
  /**
   * Records the error with which the run could not be advanced `failures` times in a row; an advance with events
   * resets the count. At `limit` the run is `stuck`: it has no owner, its stream gets `run.stuck`, and `item`
   * asks a person, unless such an item is already open. Returns the run.
   * @throws FencedError if `token` is stale or the run has ended.
   */
  recordRunFailure(failure: {
    run: string;
    token: number;
    failures: number;
    error: ErrorView;
    limit: number;
    item: NewItem;
    at: number;
  }): Promise<Run>;
  /**
   * Appends an event of a process that does not own the run: a cancel, a rerun. `status` is the run's new
   * status; null keeps it. Returns the stream's new seq.
   * @throws NotFoundError `no-run`; @throws StoreError `conflict` if its status is not in `ifStatus`.
   */
  signalRun(signal: {
    run: string;
    event: NewEvent;
    status: RunStatus | null;
    ifStatus: readonly RunStatus[];
    at: number;
  }): Promise<number>;
}
