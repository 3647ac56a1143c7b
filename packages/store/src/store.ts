/**
 * The Store contract: what Reprise keeps. Interfaces only; `sqlite/` implements it, and `suite/` tests any
 * implementation. Every method is one verb and one transaction. Times and ids come from the caller. A write
 * for a turn needs its fencing token; with a stale one it throws a FencedError and writes nothing.
 */

import type { Role } from "@reprise/core/api/role";
import type { Message, MessageOutline } from "@reprise/core/conversation/message";
import type { ErrorView } from "@reprise/core/errors/errors";
import type { Access, Denial, OnDenied } from "@reprise/core/session/access";
import type { Decision, Notice } from "@reprise/core/session/decision";
import type { SessionKey } from "@reprise/core/session/key";
import type { Pin, PinProgress } from "@reprise/core/session/pin";
import type { AgentKind, SessionSetting } from "@reprise/core/session/policy";
import type { AskedQuestion, QuestionAnswer } from "@reprise/core/session/question";
import type {
  AttemptEnding,
  BusyPolicy,
  LaunchFacts,
  ProcessIdentity,
  Turn,
  TurnRequest,
  TurnStatus,
} from "@reprise/core/session/turn";
import type { TurnWaiting } from "@reprise/core/session/waiting";
import type { SessionSettings } from "@reprise/core/settings/session-settings";
import type { UsageSum } from "@reprise/core/usage/report";
import type { Usage } from "@reprise/core/usage/usage";
import type { InboxItem } from "@reprise/workflow/inbox-item";
import type { RunStatus } from "@reprise/workflow/run/state";

export interface Agent {
  readonly name: string;
  /** The class from which it was created. */
  readonly class: string | null;
  readonly kind: AgentKind;
  readonly provider: string;
  readonly model: string | null;
  readonly folder: string | null;
  readonly sessions: SessionSetting | "default";
  /** Settings of the provider: binary, home, sandbox, instructions, script… */
  readonly settings: Readonly<Record<string, string>>;
  /** Its own level; its provider settings may give more. */
  readonly access: Access;
  /** The commands that it may run under `edit` if its provider has no sandbox, exactly as written. */
  readonly allowedCommands: readonly string[];
  readonly onDenied: OnDenied;
  /** Created for nodes of workflows that name no agent: it has no identity and is not listed. */
  readonly hidden: boolean;
  readonly createdAt: number;
}

/** A change of an agent: null removes a setting, and fields that are not named stay. */
export interface AgentChange {
  readonly name: string;
  readonly kind?: Agent["kind"] | undefined;
  readonly model?: Agent["model"] | undefined;
  readonly folder?: Agent["folder"] | undefined;
  readonly sessions?: Agent["sessions"] | undefined;
  readonly access?: Access | undefined;
  readonly allowedCommands?: readonly string[] | undefined;
  readonly onDenied?: OnDenied | undefined;
  readonly settings: Readonly<Record<string, string | null>>;
  readonly at: number;
}

/** A definition from which agents and nodes of workflows are made; no turn is ever sent to it. */
export type AgentClass = Pick<
  Agent,
  | "name"
  | "kind"
  | "provider"
  | "model"
  | "folder"
  | "settings"
  | "access"
  | "allowedCommands"
  | "onDenied"
  | "createdAt"
>;

/** A change of a class, by the same rules. */
export type ClassChange = Omit<AgentChange, "sessions">;

export interface Session {
  readonly key: SessionKey;
  readonly conversation: string;
  /** The agent and provider of the last turn. */
  readonly agent: string;
  readonly provider: string;
  /** How often the history guard failed. */
  readonly epoch: number;
  readonly archivedAt: number | null;
  /** While it is held, it is not archived, purged or reset. */
  readonly held: readonly SessionHold[];
  /** A requested compaction; done once a new provider session begins with a summary. */
  readonly compaction: { readonly focus: string | null; readonly at: number } | null;
  /** Its own settings, in the form that a person writes. */
  readonly settings: SessionSettings;
  readonly channel: string | null;
  readonly turns: number;
  /** Handle id of the current agent's pin. */
  readonly handle: string | null;
  readonly lastOutcome: Decision["outcome"] | null;
  readonly lastStatus: TurnStatus | null;
  /** The status of its open turn, else of its last one. */
  readonly status: TurnStatus | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Keeps a session from being archived, purged or reset. */
export interface SessionHold {
  readonly by: string;
  readonly reason: string | null;
  readonly at: number;
}

/** What retention needs to know of one session. */
export interface RetentionRow {
  readonly key: string;
  readonly usedAt: number;
  readonly archivedAt: number | null;
  readonly heldBy: readonly string[];
  /** It has an open turn. */
  readonly inUse: boolean;
  readonly settings: SessionSettings;
}

/** Everything a decision about (key, agent) needs, read at one moment. */
export interface SessionFacts {
  readonly session: Session | null;
  readonly pin: Pin | null;
  readonly retired: string | null;
  readonly outline: readonly MessageOutline[];
  /** The newest one of the pinned handle. */
  readonly checkpoint: CheckpointHead | null;
  readonly purgedAt: number | null;
  /** The last turn that the agent was launched for here asked a question and has ended: with its answer, or cancelled. */
  readonly askedLast: boolean;
}

export interface CheckpointHead {
  readonly number: number;
  readonly version: number;
  readonly agent: string;
  readonly provider: string;
  readonly handle: string;
  readonly model: string | null;
  readonly turn: string;
  /** The progress of the pin; null for a checkpoint from before this was stored. */
  readonly standing: PinProgress | null;
  /** Empty if they can no longer be read. */
  readonly files: readonly CheckpointFile[];
  readonly at: number;
}

/** A file of a checkpoint: its size and the digest of the whole file. */
export interface CheckpointFile {
  readonly name: string;
  readonly size: number;
  readonly whole: string;
  /** The size of its newest part that begins at 0; 0 if unknown. */
  readonly snapshot: number;
}

/** Checkpoints of one provider session, newest first, and their parts, oldest first for every file. */
export interface KeptCheckpoints {
  readonly heads: readonly CheckpointHead[];
  readonly parts: readonly CheckpointPart[];
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
  readonly standing: PinProgress;
  readonly parts: readonly CheckpointPart[];
}

/** A session that does not begin with a turn. */
export interface NewSession {
  readonly key: SessionKey;
  readonly agent: string;
  readonly provider: string;
  readonly how: "forked" | "imported" | "adopted";
  /** The key that it had before, or from which it was forked. */
  readonly from: string | null;
  readonly messages: readonly NewMessage[];
  readonly pin: Pin | null;
  readonly checkpoint: NewCheckpoint | null;
  readonly at: number;
}

export type NewMessage = Message;

export type Claim =
  | { readonly granted: true; readonly token: number; readonly turn: Turn }
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
}

export interface Retirement {
  readonly provider: string;
  readonly handle: string;
  readonly reason: string;
}

/** A claim on a turn: its id, and the token that proves ownership. */
export interface TurnClaim {
  readonly turn: string;
  readonly token: number;
}

/**
 * `durable`: on the disk before the verb returns. `buffered`: on the disk with the next durable write at
 * the latest. A buffered write survives every process and is lost only in a power loss. Never use it for
 * what a caller already knows, or for a start that leaves a trace.
 */
export type Durability = "durable" | "buffered";

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

/** Gives a client access; only the digest of the token itself is stored. */
export interface Token {
  readonly hash: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** A browser that logged in with a token; only the digest of its cookie is stored. */
export interface Login {
  readonly hash: string;
  /** Digest of the token. */
  readonly token: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Identifies a repeatable call: the id of the client's token and its `Idempotency-Key`. */
export interface CallId {
  readonly token: string;
  readonly key: string;
}

/** A call that may be repeated without being executed twice. */
export interface Call extends CallId {
  /** Digest of the request. */
  readonly fingerprint: string;
  /** Id of the turn or run that it started, once known. */
  readonly subject: string | null;
  /** Null while it is running. */
  readonly answer: { readonly status: number; readonly body: string } | null;
  readonly at: number;
}

/** A receiver of events, or a sender of answers to inbox items; its messages are signed with a secret. */
export interface Webhook {
  readonly id: string;
  readonly direction: "outgoing" | "incoming";
  /** Where events are sent; null for an incoming one. */
  readonly url: string | null;
  /** Types of events: `run.ended`, `gate.*`, `*`. */
  readonly events: readonly string[];
  readonly secret: string;
  /** The last event that was considered for it. */
  readonly cursor: number;
  readonly createdAt: number;
}

/** One event to send to a webhook. */
export interface Delivery {
  readonly id: string;
  readonly webhook: string;
  /** The event's sequence number. */
  readonly seq: number;
  readonly type: string;
  /** `failed`: it is not retried automatically. */
  readonly state: "due" | "done" | "failed";
  readonly tries: number;
  /** HTTP status of the last try; null if there was no answer. */
  readonly status: number | null;
  readonly error: string | null;
  readonly createdAt: number;
  readonly triedAt: number | null;
  readonly nextAt: number | null;
}

/** A slot for one of the scripts that may run at once on a host. */
export interface Slot {
  readonly id: string;
  readonly host: string;
  readonly at: number;
}

/** A machine or container that has the home open; see `beat`. */
export interface HostRecord {
  readonly id: string;
  /** The machine's name, for display. */
  readonly name: string;
  /** Grows while a process there has the home open. */
  readonly beat: number;
  /** By that process's own clock: for display, never compared with another clock to decide anything. */
  readonly at: number;
}

export type NewItem = Omit<InboxItem, "run" | "workflow" | "openedAt" | "resolution">;

export interface Store {
  /** Schema version, size and whether the database is sound; `full` reads every page. */
  check(options: { full: boolean }): Promise<StoreReport>;
  /** Writes something and deletes it again. @throws StoreError if that fails. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
  /** Copies everything, as of one moment, into the new file `path`, while other processes use the store. */
  backup(path: string): Promise<{ schema: number; sessions: number; turns: number }>;
  /** Changes the place of provider sessions in or below the folder `from` to `to`. Returns how many changed. */
  rebasePins(move: { from: string; to: string }): Promise<number>;

  /** @throws UsageError `agent-exists` */
  createAgent(agent: Agent): Promise<void>;
  /** Its event names the changed settings without their values. @throws NotFoundError `no-agent` */
  setAgent(set: AgentChange): Promise<Agent>;
  readAgent(name: string): Promise<Agent | null>;
  /** All except hidden ones, by name. */
  listAgents(): Promise<Agent[]>;
  /** @throws UsageError `class-exists` */
  createClass(agentClass: AgentClass): Promise<void>;
  /** Agents created from it do not change; its event is like that of an agent. @throws NotFoundError `no-class` */
  setClass(set: ClassChange): Promise<AgentClass>;
  readClass(name: string): Promise<AgentClass | null>;
  /** By name. */
  listClasses(): Promise<AgentClass[]>;

  /** In order of their keys, or the last used first, after the session `after`. */
  listSessions(
    query: SessionSelection & { order?: "key" | "used"; after?: string; limit: number },
  ): Promise<Session[]>;
  countSessions(filter: SessionSelection): Promise<number>;
  readSession(key: string): Promise<Session | null>;
  /** Asking again with another focus replaces it. @throws RefusedError `held`; @throws NotFoundError */
  compactSession(compact: { key: string; focus: string | null; at: number }): Promise<Session>;
  /** The pins of every agent with a confirmed turn under the key. */
  listPins(key: string): Promise<Pin[]>;
  load(of: { key: string; agent: string }): Promise<SessionFacts>;
  /**
   * `force` also purges a held session; `ifArchivedAt` purges only a session that was archived at that time.
   * @throws BusyError while a turn is open; @throws RefusedError `held`, `changed`; @throws NotFoundError
   */
  purgeSession(purge: {
    key: string;
    force?: boolean;
    ifArchivedAt?: number;
    at: number;
  }): Promise<{ turns: string[] }>;

  /**
   * Writes a session that does not begin with a turn, completely or not at all.
   * @throws UsageError `session-exists`, `handle-pinned`, `handle-retired`
   */
  createSession(creation: NewSession): Promise<void>;
  /**
   * Replaces the pin `from`.
   * @throws BusyError while a turn has the session or its handle, or if the pin has changed.
   */
  movePin(move: { key: string; from: Pin; to: Pin; at: number }): Promise<void>;

  /** A session may have several holds, each with its own name. @throws NotFoundError */
  holdSession(hold: {
    key: string;
    by: string;
    reason: string | null;
    at: number;
  }): Promise<Session>;
  /** @throws NotFoundError `no-session`, `no-hold` */
  releaseSession(release: { key: string; by: string; at: number }): Promise<Session>;
  /**
   * `ifUsedAt` archives only a session that was not used since.
   * @throws BusyError while a turn is open; @throws RefusedError `held`, `changed`; @throws NotFoundError
   */
  archiveSession(archive: {
    key: string;
    reason: string | null;
    ifUsedAt?: number;
    at: number;
  }): Promise<Session>;
  /** @throws NotFoundError */
  reviveSession(revive: { key: string; at: number }): Promise<Session>;
  /** Changes its own settings; null removes one. @throws NotFoundError */
  setSession(set: {
    key: string;
    settings: Readonly<Record<string, string | number | null>>;
    at: number;
  }): Promise<Session>;
  /** In order of their keys, after `after`. */
  listRetention(query: { after?: string; limit: number }): Promise<RetentionRow[]>;

  /**
   * Writes the turn as `queued` with the key's next number; a new key gets its session. If another turn is
   * open, `fail` throws BusyError and writes nothing, `skip` writes it as skipped, and `queue` acknowledges
   * it. Repeating the call with the same id returns the existing turn.
   */
  openTurn(opening: {
    id: string;
    request: TurnRequest;
    provider: string;
    busy: BusyPolicy;
    owner: ProcessIdentity;
    /** Default: `durable`. */
    durability?: Durability;
    at: number;
  }): Promise<Turn>;
  /**
   * Queues an interrupted turn again if nothing of it was ever started, owned by `owner`; any other turn stays
   * as it is. Returns the turn. @throws NotFoundError `no-turn`
   */
  reopenTurn(reopen: { turn: string; owner: ProcessIdentity; at: number }): Promise<Turn>;
  /**
   * Takes the lease on the key, and on the pinned handle of its agent, for the first turn in the queue:
   * `running`, with a new token. Turns of one key run in order. A turn that is already running is `behind`
   * itself: if its owner never got the token, it uses `takeOver`.
   * @throws FencedError if the turn has ended; @throws NotFoundError
   */
  claimTurn(claim: { turn: string; owner: ProcessIdentity; at: number }): Promise<Claim>;
  /** Sets the owner of an open turn, or removes it, if `token` is current. Returns the new token, otherwise null. */
  takeOver(take: TurnClaim & { owner: ProcessIdentity | null }): Promise<number | null>;
  /** May be repeated until the attempt ends; `bumpEpoch` counts once per attempt. */
  recordDecision(
    record: TurnClaim & {
      number: number;
      decision: Decision;
      bumpEpoch: boolean;
      /** Default: `durable`. */
      durability?: Durability;
      at: number;
    },
  ): Promise<void>;
  /**
   * Records what is about to be started. False, and nothing is written, if `limit.max` launches on that host
   * have not ended yet.
   */
  recordLaunch(
    record: TurnClaim & {
      number: number;
      launch: LaunchFacts;
      argv: readonly string[];
      handle: string | null;
      limit?: { readonly host: string; readonly max: number };
      at: number;
    },
  ): Promise<boolean>;
  /** Appends `turn.waiting` or `turn.limited`; the turn stays as it is. @throws FencedError when it has ended or has another owner. */
  recordWaiting(record: TurnClaim & { waiting: TurnWaiting; at: number }): Promise<void>;
  /** Queues a running turn again if nothing of it was launched; it then has no owner, so any process runs it. */
  requeueTurn(claim: TurnClaim): Promise<void>;
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
  /** Records that the provider's files were restored from a checkpoint, with the pin of that time. */
  recordRestore(record: TurnClaim & { pin: Pin; at: number }): Promise<void>;
  /**
   * Ends the turn: attempt, transcript, pin, checkpoint, usage, event and the release of its leases, all or
   * nothing. `next` is the first turn in the queue now. A queued turn may end without having run; one that
   * ends as `waiting` stays open and keeps its leases.
   */
  finishTurn(finish: FinishTurn): Promise<{ next: Turn | null }>;

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
  /** Every open turn, oldest first. */
  listOpenTurns(): Promise<Turn[]>;
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
  readTranscript(conversation: string): Promise<Message[]>;
  /**
   * The checkpoints of a provider session; if the agent has none, those of another agent under the same key.
   * Equal bytes are stored once. For every file, the last two parts that start at 0 and all parts after them
   * are kept. The first checkpoint of another handle removes those of earlier handles. A part that cannot be
   * read has no bytes, so its digest does not match.
   */
  readCheckpoints(of: { key: string; agent: string; handle: string }): Promise<KeptCheckpoints>;

  /**
   * The usage of ended turns: in total, per session and agent, or per turn (newest first). `since`, `key` and
   * `agent` restrict the turns.
   */
  sumUsage(query: {
    by: "all" | "session" | "turn";
    since?: number;
    key?: string;
    agent?: string;
    limit?: number;
  }): Promise<UsageRow[]>;

  /** A hash replaces the existing one; null removes it. */
  setPassphrase(set: { name: string; hash: string | null; by: string; at: number }): Promise<void>;
  /** Ordered by name. */
  listPassphrases(): Promise<{ name: string; setAt: number }[]>;
  /** Counts a wrong try in advance and returns the hash, unless there were too many; null if there is no such name. */
  tryPassphrase(attempt: {
    name: string;
    at: number;
  }): Promise<{ hash: string } | { blockedUntil: number } | null>;
  /** Resets the count after a correct try. */
  clearPassphraseTries(name: string): Promise<void>;
  /** @throws UsageError `token-exists` if another token of that name is not revoked. */
  createToken(token: Pick<Token, "hash" | "name" | "role" | "createdAt">): Promise<void>;
  readToken(hash: string): Promise<Token | null>;
  /** Oldest first, including revoked ones. */
  listTokens(): Promise<Token[]>;
  /** Records when it was last used. */
  useToken(use: { hash: string; at: number }): Promise<void>;
  /** @throws NotFoundError `no-token` */
  revokeToken(revoke: { name: string; at: number }): Promise<Token>;
  /** Also removes expired logins. */
  createLogin(login: Login): Promise<void>;
  /** Also returns expired ones. */
  readLogin(hash: string): Promise<Login | null>;
  endLogin(end: { hash: string; at: number }): Promise<void>;
  /** Ends all logins: every browser must log in again. */
  endLogins(): Promise<void>;

  /**
   * Writes a call, unless it exists: then `begun` is false and `call` is the existing one. Also removes calls
   * that began before `forgetBefore`.
   */
  beginCall(
    begin: Omit<Call, "answer"> & { forgetBefore: number },
  ): Promise<{ begun: boolean; call: Call }>;
  /** Records the turn or run that a call started. */
  acceptCall(accept: CallId & { subject: string }): Promise<void>;
  /** Stores the answer, once; purging `session` removes it. */
  settleCall(
    settle: CallId & { status: number; body: string; session: string | null },
  ): Promise<void>;
  /** Removes a call without an answer, so that it can be made again. */
  dropCall(call: CallId): Promise<void>;

  createWebhook(webhook: Webhook): Promise<void>;
  readWebhook(id: string): Promise<Webhook | null>;
  /** Oldest first. */
  listWebhooks(): Promise<Webhook[]>;
  /** With its deliveries. @throws NotFoundError `no-webhook` */
  removeWebhook(remove: { id: string; at: number }): Promise<void>;
  /**
   * Advances the webhook from event `after` to `upTo` and makes its deliveries due at once, as
   * `webhook:<delivery>`. False, and nothing is written, if another process did so. Also removes finished
   * deliveries that began before `forgetBefore`.
   */
  queueDeliveries(queue: {
    webhook: string;
    after: number;
    upTo: number;
    deliveries: readonly Pick<Delivery, "id" | "seq" | "type">[];
    forgetBefore: number;
    at: number;
  }): Promise<boolean>;
  /** Records a try of a delivery that `owner` claimed, due again at `again`; no effect if the claim has another owner. */
  settleDelivery(
    settle: Pick<Delivery, "id" | "state" | "status" | "error"> & {
      owner: string;
      again: number | null;
      at: number;
    },
  ): Promise<void>;
  /** Makes it due again. @throws NotFoundError `no-delivery` */
  replayDelivery(replay: { id: string; at: number }): Promise<Delivery>;
  readDelivery(id: string): Promise<Delivery | null>;
  /** Newest first. */
  listDeliveries(query: { webhook?: string; limit: number }): Promise<Delivery[]>;

  readProbe(binary: string): Promise<unknown>;
  writeProbe(probe: { binary: string; result: unknown; at: number }): Promise<void>;

  /**
   * Returns the stream's new seq. An existing due row with the same id stays as it is.
   * @throws StoreError `conflict` if the stream is not at `expectedSeq`.
   */
  appendEvents(append: {
    stream: string;
    expectedSeq: number;
    events: readonly NewEvent[];
    due: readonly NewDue[];
    at: number;
  }): Promise<number>;
  /** Once an event was returned, no event with a lower seq appears later. */
  readEvents(query: { after: number; limit: number; stream?: string }): Promise<StoredEvent[]>;
  /** The highest seq; 0 if there are no events. */
  lastEvent(): Promise<number>;
  /** Takes a slot for `id`; also true if it has one already. False if `max` slots of the host are taken. */
  takeSlot(slot: Slot & { max: number }): Promise<boolean>;
  freeSlot(id: string): Promise<void>;
  /** Oldest first. */
  listSlots(host: string): Promise<Slot[]>;
  /** Records that a process on this host has the home open; its number grows with each beat. */
  beat(beat: Pick<HostRecord, "id" | "name" | "at">): Promise<void>;
  readHost(id: string): Promise<HostRecord | null>;
  /** The most recent beat first. */
  listHosts(): Promise<HostRecord[]>;
  /**
   * Claims what is due until `until`; one claim per key at a time, in the order of `at`. A claim that is not
   * settled within a minute of its `at` may be given to another owner. `kind` is the part of the id before its
   * first colon; `webhook` claims only deliveries to that webhook.
   */
  claimDue(claim: {
    owner: string;
    kind?: string;
    webhook?: string;
    at: number;
    until: number;
    limit: number;
  }): Promise<Due[]>;
  /**
   * Removes a claimed row, or makes it due again at `again` and counts a failure. No effect if the claim has
   * another owner.
   */
  settleDue(settle: { id: string; owner: string; again: number | null }): Promise<void>;

  /**
   * Records the current boot of the machine. If the store was last used in another boot, buffered events may be
   * lost although a reader has seen them. So an event `home.booted` is appended with a number so much higher
   * that no number is used twice. True if the boot is new.
   */
  recordBoot(record: { boot: string; at: number }): Promise<boolean>;

  /** Writes the run with its first event, owned by `owner`. @throws UsageError `run-exists` */
  createRun(creation: {
    id: string;
    workflow: string;
    path: string | null;
    event: NewEvent;
    owner: ProcessIdentity;
    /** Default: `durable`. */
    durability?: Durability;
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
  /** Every run that has not ended and has an owner, or is `running` without one, oldest first. */
  listActiveRuns(): Promise<Run[]>;
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
  advanceRun(advance: {
    run: string;
    token: number;
    expectedSeq: number;
    events: readonly NewEvent[];
    status: RunStatus;
    error: ErrorView | null;
    opens: readonly NewItem[];
    due: readonly NewDue[];
    /** Default: `durable`. */
    durability?: Durability;
    at: number;
  }): Promise<number>;
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
  /**
   * Resolves an open item, once: the event on the run's stream (`gate.answered`, or `gate.expired` if its
   * deadline had passed by `at`), its sessions held by `run:<run>` instead, its deadline removed, and the run
   * `running`, unless it is stuck. The item of a stuck run makes it `running` again (`run.retried`), or ends it
   * (`run.cancelling`, `run.ended`) if the choice is `cancel`. `given` is false if it was resolved before; the
   * item says how.
   * @throws NotFoundError `no-item`
   */
  answerItem(answer: {
    item: string;
    choice: string;
    by: string;
    comment: string | null;
    values: Readonly<Record<string, unknown>>;
    at: number;
  }): Promise<{ item: InboxItem; given: boolean }>;
  /** Resolves an open item whose deadline has passed by `at` as expired; false if there is nothing to do. */
  expireItem(expire: { item: string; at: number }): Promise<boolean>;
  readItem(id: string): Promise<InboxItem | null>;
  findItems(prefix: string, limit: number): Promise<string[]>;
  /**
   * Open items, oldest first; with `all`, resolved ones too, newest first. `after` is the last item of the
   * previous page; `overdueAt` keeps only items whose deadline had passed by then.
   */
  listItems(query: {
    run?: string;
    all?: boolean;
    overdueAt?: number;
    after?: Pick<InboxItem, "openedAt" | "id">;
    limit: number;
  }): Promise<InboxItem[]>;
  /** Items and turns that ask, as `listItems` and `listQuestions` have them together. */
  countInbox(query: { run?: string; all?: boolean }): Promise<number>;
}

export interface SessionSelection {
  readonly agent?: string;
  /** A part of the key or of the agent's name, in any case. */
  readonly q?: string;
  /** The status of its open turn, else of its last one; or that it is archived. */
  readonly status?: TurnStatus | "archived";
  /** Works in this folder or below it. */
  readonly folder?: string;
  /** Used since then, in milliseconds since 1970. */
  readonly since?: number;
  /** False: without the sessions that workflow runs made, whose keys begin with `wf:`. */
  readonly ofRuns?: boolean;
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

/** The turns that were summed; if there are several, the greatest key, agent, provider and turn. */
export interface UsageRow extends UsageSum {
  readonly key: string;
  readonly agent: string;
  readonly provider: string;
  readonly turn: { readonly id: string; readonly seq: number };
}

export interface StoreReport {
  readonly schema: number;
  readonly path: string;
  readonly bytes: number;
  readonly sound: boolean;
  readonly problems: readonly string[];
}
