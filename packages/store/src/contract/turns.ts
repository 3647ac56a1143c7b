/** Turns: the queue of a session, the lease of the running turn, its attempts and its question. */

import type { ErrorView } from "@reprise/core/errors/errors";
import type { Denial } from "@reprise/core/session/access";
import type { Decision, Notice } from "@reprise/core/session/decision";
import type { Pin } from "@reprise/core/session/pin";
import type { AskedQuestion, QuestionAnswer } from "@reprise/core/session/question";
import type {
  Attempt,
  AttemptEnding,
  BusyPolicy,
  LaunchFacts,
  ProcessIdentity,
  Turn,
  TurnRequest,
  TurnStatus,
} from "@reprise/core/session/turn";
import type { TurnWaiting } from "@reprise/core/session/waiting";
import type { Usage } from "@reprise/core/usage/usage";
import type { InboxItem } from "@reprise/workflow/inbox-item";
import type { Agent } from "./agents.ts";
import type { NewCheckpoint } from "./checkpoints.ts";
import type { Durability } from "./database.ts";
import type { DoneBy, NewEvent } from "./events.ts";
import type { NewMessage, Retirement, SessionFacts } from "./sessions.ts";

/** A claim on a turn: its id, and the token that proves ownership. */
export interface TurnClaim {
  readonly turn: string;
  readonly token: number;
}

/** A turn to open. */
export interface TurnOpening extends DoneBy {
  readonly id: string;
  readonly request: TurnRequest;
  readonly provider: string;
  readonly busy: BusyPolicy;
  readonly owner: ProcessIdentity;
  /** Changes of the session's own settings, as in `setSession`. */
  readonly settings?: Readonly<Record<string, string | number | null>>;
  /** Default: `durable`. */
  readonly durability?: Durability;
  readonly at: number;
}

/** `facts`: set if the turn owns its session now. Otherwise `behind` is the open turn that is ahead of it, if any. */
export interface BegunTurn {
  readonly turn: Turn;
  readonly facts: SessionFacts | null;
  readonly behind: Turn | null;
}

/** What was decided for an attempt; `bumpEpoch` counts once per attempt. */
export interface DecidedAttempt {
  readonly decision: Decision;
  readonly bumpEpoch: boolean;
}

export type Claim =
  | {
      readonly granted: true;
      readonly token: number;
      readonly turn: Turn;
      /** Null if it no longer exists. */
      readonly agent: Agent | null;
      readonly facts: SessionFacts;
    }
  /** `behind`: the open turn that holds the key or the handle, or is earlier in the queue. */
  | { readonly granted: false; readonly behind: Turn };

export interface FinishedAttempt {
  readonly number: number;
  readonly ending: AttemptEnding;
  readonly handle: string | null;
  readonly exit: string | null;
  readonly error: ErrorView | null;
  readonly usage: Usage | null;
  readonly tools: boolean;
  /** False: it is certain that nothing was started, whatever was recorded before. */
  readonly started?: boolean;
  /** What the agent tried to do and was denied. */
  readonly denied?: readonly Denial[];
  /** It found the limit of its account used up until then. */
  readonly limitedUntil?: number;
}

export interface FinishTurn extends TurnClaim {
  readonly status: TurnStatus;
  readonly output: string | null;
  readonly error: ErrorView | null;
  readonly usage: Usage | null;
  readonly notices: readonly Notice[];
  /** The question of a turn that ends as `waiting`; null keeps the previous one. */
  readonly asked: AskedQuestion | null;
  readonly attempt: FinishedAttempt | null;
  readonly messages: readonly NewMessage[];
  /** Ids of earlier messages that a person took back in the provider's own program. */
  readonly takenBack?: readonly string[];
  /** Replaces the pin of (key, agent); null keeps it. */
  readonly pin: Pin | null;
  readonly retire: Retirement | null;
  readonly checkpoint: NewCheckpoint | null;
  readonly at: number;
}

/** Which open turns to list; fields that are not named do not restrict them. */
export interface OpenTurnQuery {
  readonly key?: string;
  /** Turns that this run opened. */
  readonly run?: string;
  /** Only the turn of each session that runs, waits for an answer or is first in the queue. */
  readonly heads?: boolean;
  /**
   * Only turns on which no process works: without an owner, queued and acknowledged, or owned by one of these
   * processes. Turns that wait for an answer are not among them.
   */
  readonly leftBy?: readonly ProcessIdentity[];
  /** The last turn of the previous page. */
  readonly after?: Turn;
  readonly limit: number;
}

export interface TurnStore {
  /**
   * Writes the turn as `queued` with the key's next number; a new key gets its session. If another turn is
   * open, `fail` throws BusyError and writes nothing, `skip` writes it as skipped, and `queue` acknowledges
   * it. Repeating the call with the same id returns the existing turn.
   */
  openTurn(opening: TurnOpening): Promise<Turn>;
  /**
   * `openTurn`, and if the session is free also `claimTurn`, in one. An existing turn with this id is returned
   * as it is and not claimed.
   */
  beginTurn(opening: TurnOpening): Promise<BegunTurn>;
  /**
   * Queues an interrupted turn again if nothing of it was ever started, owned by `owner`; any other turn stays
   * as it is. Returns the turn. @throws NotFoundError `no-turn`
   */
  reopenTurn(reopen: { turn: string; owner: ProcessIdentity; at: number }): Promise<Turn>;
  /**
   * Takes the lease on the key, and on the pinned handle of its agent, for the first turn in the queue:
   * `running`, with a new token, and reads what is needed to decide. Turns of one key run in order. A turn that is already running is `behind`
   * itself: if its owner never got the token, it uses `takeOver`.
   * @throws FencedError if the turn has ended; @throws NotFoundError
   */
  claimTurn(claim: { turn: string; owner: ProcessIdentity; at: number }): Promise<Claim>;
  /** Sets the owner of an open turn, or removes it, if `token` is current. Returns the new token, otherwise null. */
  takeOver(take: TurnClaim & { owner: ProcessIdentity | null }): Promise<number | null>;
  /**
   * Queues a running turn again if nothing of it was launched; it then has no owner, so any process runs it. `request`
   * and `provider` are those of another agent that takes the turn.
   */
  requeueTurn(
    claim: TurnClaim & { to?: { request: TurnRequest; provider: string; at: number } },
  ): Promise<void>;
  /** May be repeated until the attempt ends. Returns the attempt. */
  recordDecision(
    record: TurnClaim &
      DecidedAttempt & {
        number: number;
        /** Default: `durable`. */
        durability?: Durability;
        at: number;
      },
  ): Promise<Attempt>;
  /**
   * Records what is about to be started, with its decision if that is not recorded yet. Returns the attempt;
   * null, and nothing is written, if `limit.max` launches on that host have not ended yet.
   */
  recordLaunch(
    record: TurnClaim & {
      number: number;
      decided?: DecidedAttempt;
      launch: LaunchFacts;
      argv: readonly string[];
      handle: string | null;
      limit?: { readonly host: string; readonly max: number };
      at: number;
    },
  ): Promise<Attempt | null>;
  /** Appends `turn.waiting` or `turn.limited`; the turn stays as it is. @throws FencedError when it has ended or has another owner. */
  recordWaiting(record: TurnClaim & { waiting: TurnWaiting; at: number }): Promise<void>;
  /** Records that the provider's files were restored from a checkpoint, with the pin of that time. */
  recordRestore(record: TurnClaim & { pin: Pin; at: number }): Promise<void>;
  /** Imports messages that were typed or taken back in the provider's own program, and the pin that covers them. */
  importMessages(
    record: TurnClaim & {
      messages: readonly NewMessage[];
      /** Ids of messages. */
      takenBack?: readonly string[];
      pin: Pin;
      checkpoint?: NewCheckpoint | null;
      at: number;
    },
  ): Promise<void>;
  /**
   * Ends an attempt that is followed by another; a retired handle is never used again. `pin` and `checkpoint`
   * are the state in which it left the provider session; `compacted` clears a requested compaction.
   */
  endAttempt(
    end: TurnClaim & {
      attempt: FinishedAttempt;
      retire: Retirement | null;
      pin?: Pin | null;
      checkpoint?: NewCheckpoint | null;
      compacted?: boolean;
      at: number;
    },
  ): Promise<void>;
  /**
   * Ends the turn: attempt, transcript, pin, checkpoint, usage, event and the release of its leases, all or
   * nothing. A queued turn may end without having run; one that ends as `waiting` stays open and keeps its
   * leases. `next` is a turn that any process may run now: queued, acknowledged or without an owner, and the
   * first in the queue of its key; one of the same key comes first, then the oldest.
   */
  finishTurn(finish: FinishTurn): Promise<{ turn: Turn; next: Turn | null }>;
  /**
   * Answers a waiting turn, once: it is `running` again, owned by `owner`; its run gets `event` and is
   * `running`, unless it has ended. `token` is null if the turn was no longer waiting; `turn` shows its state.
   * @throws NotFoundError `no-turn`
   */
  answerTurn(answering: {
    turn: string;
    answer: QuestionAnswer;
    by: string | null;
    event: NewEvent | null;
    owner: ProcessIdentity;
    at: number;
  }): Promise<{ turn: Turn; token: number | null }>;
  readTurn(id: string): Promise<Turn | null>;
  /** Turns whose id begins with `prefix`. */
  findTurns(prefix: string, limit: number): Promise<string[]>;
  /** Newest first. */
  listTurns(query: { key: string; before?: number; limit: number }): Promise<Turn[]>;
  /** A page of open turns, oldest first, after the turn `after`. The number of statements does not depend on theirs. */
  listOpenTurns(query: OpenTurnQuery): Promise<Turn[]>;
  /** Turns that asked a question and whose id begins with `prefix`. */
  findQuestions(prefix: string, limit: number): Promise<string[]>;
  /**
   * Turns that wait for an answer, oldest question first; with `all`, every turn that ever asked, newest
   * first. `after` is the last item of the previous page.
   */
  listQuestions(query: {
    run?: string;
    all?: boolean;
    after?: Pick<InboxItem, "openedAt" | "id">;
    limit: number;
  }): Promise<Turn[]>;
}
