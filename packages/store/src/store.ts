/**
 * The Store contract: what Reprise keeps. Interfaces only; `sqlite/` implements it and `suite/`
 * holds any implementation to it. Every method is one whole verb and one transaction. Times and ids
 * come from the caller. Whoever writes for a turn shows its fencing token; a stale one gets a
 * FencedError and writes nothing.
 */

import type { Message, MessageOutline } from "@reprise/core/conversation/message";
import type { ErrorView } from "@reprise/core/errors/errors";
import type { Decision, Notice } from "@reprise/core/session/decision";
import type { SessionKey } from "@reprise/core/session/key";
import type { Pin } from "@reprise/core/session/pin";
import type { AgentKind, SessionSetting } from "@reprise/core/session/policy";
import type {
  AttemptEnding,
  BusyPolicy,
  LaunchFacts,
  ProcessIdentity,
  Turn,
  TurnRequest,
  TurnStatus,
} from "@reprise/core/session/turn";
import type { Usage } from "@reprise/core/usage/usage";

export interface Agent {
  readonly name: string;
  readonly class: string | null;
  readonly kind: AgentKind;
  readonly provider: string;
  readonly model: string | null;
  readonly folder: string | null;
  readonly sessions: SessionSetting | "default";
  /** What the provider understands: binary, home, sandbox, instructions, script… */
  readonly settings: Readonly<Record<string, string>>;
  readonly createdAt: number;
}

export interface Session {
  readonly key: SessionKey;
  readonly conversation: string;
  /** The agent and provider of the last turn. */
  readonly agent: string;
  readonly provider: string;
  /** How often the history guard failed. */
  readonly epoch: number;
  readonly archivedAt: number | null;
  readonly channel: string | null;
  readonly turns: number;
  /** Handle id of the current agent's pin. */
  readonly handle: string | null;
  readonly lastOutcome: Decision["outcome"] | null;
  readonly lastStatus: TurnStatus | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Everything a decision about (key, agent) needs, read at one moment. */
export interface Subject {
  readonly session: Session | null;
  readonly pin: Pin | null;
  readonly retired: string | null;
  readonly outline: readonly MessageOutline[];
  readonly checkpoint: CheckpointHead | null;
  readonly purgedAt: number | null;
}

export interface CheckpointHead {
  readonly number: number;
  readonly version: number;
  readonly agent: string;
  readonly provider: string;
  readonly handle: string;
  readonly turn: string;
  readonly files: readonly {
    readonly name: string;
    readonly size: number;
    readonly whole: string;
  }[];
  readonly at: number;
}

/** A part of one file: its bytes from `start`; `size` and `whole` (digest) describe the file it completes. */
export interface CheckpointPart {
  readonly name: string;
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly size: number;
  readonly whole: string;
}

export interface NewCheckpoint {
  readonly version: number;
  readonly handle: string;
  readonly model: string | null;
  readonly parts: readonly CheckpointPart[];
}

export type NewMessage = Message;

export type Claim =
  | { readonly granted: true; readonly token: number; readonly turn: Turn }
  /** `behind`: the open turn that holds the key or the handle, or stands earlier in line. */
  | { readonly granted: false; readonly behind: Turn };

export interface FinishedAttempt {
  readonly number: number;
  readonly ending: AttemptEnding;
  readonly handle: string | null;
  readonly exit: string | null;
  readonly error: ErrorView | null;
  readonly usage: Usage | null;
  readonly tools: boolean;
}

export interface Retirement {
  readonly provider: string;
  readonly handle: string;
  readonly reason: string;
}

/** What somebody holds: the turn, and the token that proves it still is theirs. */
export interface Held {
  readonly turn: string;
  readonly token: number;
}

export interface StoredEvent {
  readonly seq: number;
  readonly stream: string;
  readonly streamSeq: number;
  readonly type: string;
  readonly data: unknown;
  readonly at: number;
}

export interface NewEvent {
  readonly type: string;
  readonly data: unknown;
}

export interface NewDue {
  readonly id: string;
  readonly key: string;
  readonly at: number;
  readonly payload: unknown;
}

export interface Due extends NewDue {
  readonly failures: number;
}

export interface Store {
  /** Schema version, size and whether the database is sound; `full` reads every page. */
  check(options: { full: boolean }): Promise<StoreReport>;
  close(): Promise<void>;

  /** @throws UsageError `agent-exists` */
  createAgent(agent: Agent): Promise<void>;
  readAgent(name: string): Promise<Agent | null>;
  listAgents(): Promise<Agent[]>;

  /** In order of their keys, after `after`. */
  listSessions(query: { after?: string; limit: number; agent?: string }): Promise<Session[]>;
  readSession(key: string): Promise<Session | null>;
  /** The pins of every agent that was confirmed under the key. */
  listPins(key: string): Promise<Pin[]>;
  load(subject: { key: string; agent: string }): Promise<Subject>;
  /** @throws BusyError while a turn is open; @throws NotFoundError */
  purgeSession(purge: { key: string; at: number }): Promise<{ turns: string[] }>;

  /**
   * Writes the turn as `queued` and gives it the key's next number; a new key gets its session.
   * `fail` throws BusyError and writes nothing when another turn is open, `skip` writes it as skipped,
   * `queue` acknowledges it. Repeating it with the same id returns what is there.
   */
  openTurn(opening: {
    id: string;
    request: TurnRequest;
    provider: string;
    busy: BusyPolicy;
    owner: ProcessIdentity;
    at: number;
  }): Promise<Turn>;
  /**
   * Takes the lease on the key, and on the pinned handle of its agent, for the first turn in line:
   * `running`, with a new token. Turns of one key are served in their order. A turn that is running
   * already stands behind itself: its owner, if it never got the token, takes it over.
   * @throws FencedError when the turn has ended; @throws NotFoundError
   */
  claimTurn(claim: { turn: string; owner: ProcessIdentity; at: number }): Promise<Claim>;
  /** Makes `owner`, or nobody, the owner of an open turn if `token` still is current; null when it is not. */
  takeOver(take: Held & { owner: ProcessIdentity | null }): Promise<number | null>;
  /** May be repeated until the attempt ends; `bumpEpoch` counts once for an attempt. */
  recordDecision(
    record: Held & { number: number; decision: Decision; bumpEpoch: boolean; at: number },
  ): Promise<void>;
  recordLaunch(
    record: Held & {
      number: number;
      launch: LaunchFacts;
      argv: readonly string[];
      handle: string | null;
      at: number;
    },
  ): Promise<void>;
  /** Ends an attempt that another one follows; a retired handle is never used again. */
  endAttempt(
    end: Held & { attempt: FinishedAttempt; retire: Retirement | null; at: number },
  ): Promise<void>;
  /** Messages that were typed in the provider's own program, and the pin that now covers them. */
  importMessages(
    record: Held & { messages: readonly NewMessage[]; pin: Pin; at: number },
  ): Promise<void>;
  /**
   * Ends the turn: attempt, transcript, pin, checkpoint, usage, event and the release of its leases,
   * all or nothing. `next` is the turn now first in line. A queued turn may end without having run;
   * one that ends as `waiting` stays open and keeps its leases.
   */
  finishTurn(finish: FinishTurn): Promise<{ next: Turn | null }>;

  readTurn(id: string): Promise<Turn | null>;
  /** Turns whose id begins with `prefix`. */
  findTurns(prefix: string, limit: number): Promise<string[]>;
  /** Newest first. */
  listTurns(query: { key: string; before?: number; limit: number }): Promise<Turn[]>;
  /** Every open turn, oldest first: what a process that opens the home looks through. */
  listOpenTurns(): Promise<Turn[]>;
  readTranscript(conversation: string): Promise<Message[]>;
  /** Parts of the newest checkpoint of (key, agent), oldest part first for every file. */
  readCheckpoint(of: { key: string; agent: string; handle: string }): Promise<CheckpointPart[]>;

  readProbe(binary: string): Promise<unknown>;
  writeProbe(probe: { binary: string; result: unknown; at: number }): Promise<void>;

  /**
   * Returns the stream's new seq. A due row whose id is there already stays as it is.
   * @throws StoreError `conflict` when the stream is not at `expectedSeq`.
   */
  appendEvents(append: {
    stream: string;
    expectedSeq: number;
    events: readonly NewEvent[];
    due: readonly NewDue[];
    at: number;
  }): Promise<number>;
  /** Never later reveals an event with a lower seq than one it returned. */
  readEvents(query: { after: number; limit: number; stream?: string }): Promise<StoredEvent[]>;
  /**
   * Claims what is due until `until`; one claim per key at a time, in the order of `at`. A claim that
   * is not settled within a minute of its `at` may be given to another owner.
   */
  claimDue(claim: { owner: string; at: number; until: number; limit: number }): Promise<Due[]>;
  /**
   * Removes a claimed row, or puts it back for `again` and counts a failure. Void when the claim has
   * passed to another owner.
   */
  settleDue(settle: { id: string; owner: string; again: number | null }): Promise<void>;
}

export interface FinishTurn extends Held {
  readonly status: TurnStatus;
  readonly output: string | null;
  readonly error: ErrorView | null;
  readonly usage: Usage | null;
  readonly notices: readonly Notice[];
  readonly attempt: FinishedAttempt | null;
  readonly messages: readonly NewMessage[];
  /** Replaces the pin of (key, agent); null leaves it. */
  readonly pin: Pin | null;
  readonly retire: Retirement | null;
  readonly checkpoint: NewCheckpoint | null;
  readonly at: number;
}

export interface StoreReport {
  readonly schema: number;
  readonly path: string;
  readonly bytes: number;
  readonly sound: boolean;
  readonly problems: readonly string[];
}
