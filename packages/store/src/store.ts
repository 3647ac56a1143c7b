/**
 * The Store contract: what Reprise keeps. Interfaces only; `sqlite/` implements it and `suite/`
 * holds any implementation to it. Every method is one whole verb and one transaction. Times and ids
 * come from the caller. Whoever writes for a turn shows its fencing token; a stale one gets a
 * FencedError and writes nothing.
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
import type { InboxItem } from "@reprise/core/workflow/inbox-item";
import type { RunStatus } from "@reprise/core/workflow/run/state";

export interface Agent {
  readonly name: string;
  /** The class that it was made from. */
  readonly class: string | null;
  readonly kind: AgentKind;
  readonly provider: string;
  readonly model: string | null;
  readonly folder: string | null;
  readonly sessions: SessionSetting | "default";
  /** What the provider understands: binary, home, sandbox, instructions, script… */
  readonly settings: Readonly<Record<string, string>>;
  /** Its own word; what its settings give by themselves may be more. */
  readonly access: Access;
  /** Under `edit`, where its provider has no sandbox: the commands that it may run, exactly as written. */
  readonly allowedCommands: readonly string[];
  readonly onDenied: OnDenied;
  /** Made for nodes of workflows that name no agent: it has no identity, and lists leave it out. */
  readonly hidden: boolean;
  readonly createdAt: number;
}

/** What becomes of an agent; null takes a setting away, and what is not named stays. */
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

/** A definition that agents, and nodes of workflows, are made from; no turn is ever sent to it. */
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

/** What becomes of a class, by the same rules. */
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
  /** While anybody holds it, it is neither archived nor purged nor reset. */
  readonly held: readonly SessionHold[];
  /** Somebody wants it shorter: the next new provider session, which ends this, begins with a summary. */
  readonly compaction: { readonly focus: string | null; readonly at: number } | null;
  /** Its own settings, as a person would write them. */
  readonly settings: SessionSettings;
  readonly channel: string | null;
  readonly turns: number;
  /** Handle id of the current agent's pin. */
  readonly handle: string | null;
  readonly lastOutcome: Decision["outcome"] | null;
  readonly lastStatus: TurnStatus | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Somebody's wish that a session stays as it is. */
export interface SessionHold {
  readonly by: string;
  readonly reason: string | null;
  readonly at: number;
}

/** What retention goes by, of one session. */
export interface RetentionRow {
  readonly key: string;
  readonly usedAt: number;
  readonly archivedAt: number | null;
  readonly heldBy: readonly string[];
  /** A turn has it, or stands in line for it. */
  readonly inUse: boolean;
  readonly settings: SessionSettings;
}

/** Everything a decision about (key, agent) needs, read at one moment. */
export interface SessionFacts {
  readonly session: Session | null;
  readonly pin: Pin | null;
  readonly retired: string | null;
  readonly outline: readonly MessageOutline[];
  /** The newest of the pinned handle. */
  readonly checkpoint: CheckpointHead | null;
  readonly purgedAt: number | null;
}

export interface CheckpointHead {
  readonly number: number;
  readonly version: number;
  readonly agent: string;
  readonly provider: string;
  readonly handle: string;
  readonly model: string | null;
  readonly turn: string;
  /** Where the pin stood; null for one that was written before this was kept. */
  readonly standing: PinProgress | null;
  /** None when they cannot be read any more. */
  readonly files: readonly CheckpointFile[];
  readonly at: number;
}

/** A file as a checkpoint has it: its size and the digest of the whole. */
export interface CheckpointFile {
  readonly name: string;
  readonly size: number;
  readonly whole: string;
  /** Size of its newest part that begins at 0; 0 when that is not known. */
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

/** Where a session comes from that did not begin with a turn. */
export interface NewSession {
  readonly key: SessionKey;
  readonly agent: string;
  readonly provider: string;
  readonly how: "forked" | "imported" | "adopted";
  /** The key that it had, or was forked from. */
  readonly from: string | null;
  readonly messages: readonly NewMessage[];
  readonly pin: Pin | null;
  readonly checkpoint: NewCheckpoint | null;
  readonly at: number;
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
  /** False: it is certain that nothing was started, whatever was recorded before. */
  readonly started?: boolean;
  /** What the agent wanted to do in it and was not let do. */
  readonly denied?: readonly Denial[];
}

export interface Retirement {
  readonly provider: string;
  readonly handle: string;
  readonly reason: string;
}

/** What somebody holds: the turn, and the token that proves it still is theirs. */
export interface TurnClaim {
  readonly turn: string;
  readonly token: number;
}

/**
 * `promised`: on the disk before the verb returns. `ahead`: there with the next promise at the latest;
 * it outlives every process, and only a loss of power may take it. Never for what somebody outside was
 * told, or for what is begun and leaves a trace.
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

/** A run as lists show it; what happened in it stands in its stream, `run:<id>`. */
export interface Run {
  readonly id: string;
  readonly workflow: string;
  /** Path of the file, for people. */
  readonly path: string | null;
  readonly status: RunStatus;
  /** The process that carries it on; null when nobody does. */
  readonly owner: ProcessIdentity | null;
  /** Fencing token; grows with every owner. */
  readonly token: number;
  /** Of its stream. */
  readonly seq: number;
  readonly error: ErrorView | null;
  /** How often in a row it could not be advanced. */
  readonly failures: number;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
}

/** What lets a caller in; of the token itself only the digest is kept. */
export interface Token {
  readonly hash: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** A browser that was let in by a token; of what its cookie has only the digest is kept. */
export interface Login {
  readonly hash: string;
  /** Digest of the token. */
  readonly token: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Which call a caller repeats: his token's name, and the key that he chose for it. */
export interface CallId {
  readonly token: string;
  readonly key: string;
}

/** A call that may be repeated without being done twice. */
export interface Call extends CallId {
  /** Digest of what was asked. */
  readonly fingerprint: string;
  /** Id of the turn or run that it is about, once that is known. */
  readonly subject: string | null;
  /** Null while it is under way. */
  readonly answer: { readonly status: number; readonly body: string } | null;
  readonly at: number;
}

/** Somebody who is told of events, or who may answer inbox items, by messages signed with a secret. */
export interface Webhook {
  readonly id: string;
  readonly direction: "outgoing" | "incoming";
  /** Where events are sent; null for an incoming one. */
  readonly url: string | null;
  /** Types of events: `run.ended`, `gate.*`, `*`. */
  readonly events: readonly string[];
  readonly secret: string;
  /** The last event that was looked at for it. */
  readonly cursor: number;
  readonly createdAt: number;
}

/** One event that a webhook is told of. */
export interface Delivery {
  readonly id: string;
  readonly webhook: string;
  /** Of the event. */
  readonly seq: number;
  readonly type: string;
  /** `failed`: it is not tried again by itself. */
  readonly state: "due" | "done" | "failed";
  readonly tries: number;
  /** HTTP status of the last try; null when there was no answer. */
  readonly status: number | null;
  readonly error: string | null;
  readonly createdAt: number;
  readonly triedAt: number | null;
  readonly nextAt: number | null;
}

/** A place for one script among those that may run at once on a host. */
export interface Slot {
  readonly id: string;
  readonly host: string;
  readonly at: number;
}

/** A place from which the home is opened; see `beat`. */
export interface HostRecord {
  readonly id: string;
  /** The machine's name, for people. */
  readonly name: string;
  /** Grows while a process there has the home open. */
  readonly beat: number;
  /** By that process's own clock: for people, never compared with another clock to decide anything. */
  readonly at: number;
}

export type NewItem = Omit<InboxItem, "run" | "workflow" | "openedAt" | "resolution">;

export interface Store {
  /** Schema version, size and whether the database is sound; `full` reads every page. */
  check(options: { full: boolean }): Promise<StoreReport>;
  /** Writes something and deletes it again. @throws StoreError when that fails, which says why. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
  /** Copies everything, as of one moment, into the new file `path`, while others go on. */
  backup(path: string): Promise<{ schema: number; sessions: number; turns: number }>;
  /** Provider sessions that lived in or below the folder `from` live in `to` now; tells how many. */
  rebasePins(move: { from: string; to: string }): Promise<number>;

  /** @throws UsageError `agent-exists` */
  createAgent(agent: Agent): Promise<void>;
  /** Its event names the settings that changed, and none of their values. @throws NotFoundError `no-agent` */
  setAgent(set: AgentChange): Promise<Agent>;
  readAgent(name: string): Promise<Agent | null>;
  /** All but the hidden ones, by name. */
  listAgents(): Promise<Agent[]>;
  /** @throws UsageError `class-exists` */
  createClass(agentClass: AgentClass): Promise<void>;
  /** No agent that was made from it changes; its event is like that of an agent. @throws NotFoundError `no-class` */
  setClass(set: ClassChange): Promise<AgentClass>;
  readClass(name: string): Promise<AgentClass | null>;
  /** By name. */
  listClasses(): Promise<AgentClass[]>;

  /** In order of their keys, after `after`. `q` is a part of the key or of the agent's name, in any case. */
  listSessions(query: {
    after?: string;
    limit: number;
    agent?: string;
    q?: string;
  }): Promise<Session[]>;
  readSession(key: string): Promise<Session | null>;
  /** Asking again with another focus replaces it. @throws RefusedError `held`; @throws NotFoundError */
  compactSession(compact: { key: string; focus: string | null; at: number }): Promise<Session>;
  /** The pins of every agent that was confirmed under the key. */
  listPins(key: string): Promise<Pin[]>;
  load(of: { key: string; agent: string }): Promise<SessionFacts>;
  /**
   * `force` also takes it from whoever holds it; `ifArchivedAt` purges only what is archived since then.
   * @throws BusyError while a turn is open; @throws RefusedError `held`, `changed`; @throws NotFoundError
   */
  purgeSession(purge: {
    key: string;
    force?: boolean;
    ifArchivedAt?: number;
    at: number;
  }): Promise<{ turns: string[] }>;

  /**
   * Writes a session that did not begin with a turn of ours, whole or not at all.
   * @throws UsageError `session-exists`, `handle-pinned`, `handle-retired`
   */
  createSession(creation: NewSession): Promise<void>;
  /**
   * Puts another pin in the place of `from`.
   * @throws BusyError while a turn has the session or its handle, or the pin is another one by now.
   */
  movePin(move: { key: string; from: Pin; to: Pin; at: number }): Promise<void>;

  /** Several may hold a session, each by a name. @throws NotFoundError */
  holdSession(hold: {
    key: string;
    by: string;
    reason: string | null;
    at: number;
  }): Promise<Session>;
  /** @throws NotFoundError `no-session`, `no-hold` */
  releaseSession(release: { key: string; by: string; at: number }): Promise<Session>;
  /**
   * `ifUsedAt` archives only what was not used since.
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
  /** Changes its own settings; null takes one away. @throws NotFoundError */
  setSession(set: {
    key: string;
    settings: Readonly<Record<string, string | number | null>>;
    at: number;
  }): Promise<Session>;
  /** In order of their keys, after `after`. */
  listRetention(query: { after?: string; limit: number }): Promise<RetentionRow[]>;

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
    /** Default: `durable`. */
    durability?: Durability;
    at: number;
  }): Promise<Turn>;
  /**
   * Puts an interrupted turn of which nothing was ever started back into the line, in the hands of `owner`;
   * any other turn stays as it is. Returns what is there then. @throws NotFoundError `no-turn`
   */
  reopenTurn(reopen: { turn: string; owner: ProcessIdentity; at: number }): Promise<Turn>;
  /**
   * Takes the lease on the key, and on the pinned handle of its agent, for the first turn in line:
   * `running`, with a new token. Turns of one key are served in their order. A turn that is running
   * already stands behind itself: its owner, if it never got the token, takes it over.
   * @throws FencedError when the turn has ended; @throws NotFoundError
   */
  claimTurn(claim: { turn: string; owner: ProcessIdentity; at: number }): Promise<Claim>;
  /** Makes `owner`, or nobody, the owner of an open turn if `token` still is current; null when it is not. */
  takeOver(take: TurnClaim & { owner: ProcessIdentity | null }): Promise<number | null>;
  /** May be repeated until the attempt ends; `bumpEpoch` counts once for an attempt. */
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
   * Records what is about to be started. False when `limit.max` launches on that host have not ended yet; then
   * nothing is written.
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
  /** Puts a running turn of which nothing was launched back into the queue; it has no owner then, so any process runs it. */
  requeueTurn(held: TurnClaim): Promise<void>;
  /**
   * Ends an attempt that another one follows; a retired handle is never used again. `pin` and
   * `checkpoint` are what it left of the provider session; one that `compacted` it has done what somebody
   * may have asked for.
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
  /** Messages that were typed and taken back in the provider's own program, and the pin that now covers them. */
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
  /** The provider's files were put back from a checkpoint: the pin is what it was then. */
  recordRestore(record: TurnClaim & { pin: Pin; at: number }): Promise<void>;
  /**
   * Ends the turn: attempt, transcript, pin, checkpoint, usage, event and the release of its leases,
   * all or nothing. `next` is the turn now first in line. A queued turn may end without having run;
   * one that ends as `waiting` stays open and keeps its leases.
   */
  finishTurn(finish: FinishTurn): Promise<{ next: Turn | null }>;

  /**
   * Answers a waiting turn, once: it runs again, in the hands of `owner`, and the run that it belongs
   * to is told `event` and is `running`, unless it has ended. `token` is null when the turn did not
   * wait any more; it says what became of it.
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
  /** Every open turn, oldest first: what a process that opens the home looks through. */
  listOpenTurns(): Promise<Turn[]>;
  /** Turns that asked something, and whose id begins with `prefix`. */
  findQuestions(prefix: string, limit: number): Promise<string[]>;
  /**
   * Turns that wait for an answer, by when they asked, oldest first; with `all` every turn that ever
   * did, newest first. `after` is the last item of the page before.
   */
  listQuestions(query: {
    run?: string;
    all?: boolean;
    after?: Pick<InboxItem, "openedAt" | "id">;
    limit: number;
  }): Promise<Turn[]>;
  readTranscript(conversation: string): Promise<Message[]>;
  /**
   * The checkpoints of a provider session; those of another agent under the same key when the agent
   * itself has none. Equal bytes are stored once. Of every file the newest part from 0, the one before
   * it, and all that follows them is kept, and when another handle gets its first checkpoint, nothing of
   * the handles before it. A part that cannot be read comes with no bytes, so its digest does not fit.
   */
  readCheckpoints(of: { key: string; agent: string; handle: string }): Promise<KeptCheckpoints>;

  /**
   * What ended turns used, summed over all, for every session and agent, or for every turn, newest
   * first; only of turns opened since `since`, under `key`, by `agent`.
   */
  sumUsage(query: {
    by: "all" | "session" | "turn";
    since?: number;
    key?: string;
    agent?: string;
    limit?: number;
  }): Promise<UsageRow[]>;

  /** A hash replaces what is there; null removes it. */
  setPassphrase(set: { name: string; hash: string | null; by: string; at: number }): Promise<void>;
  /** By their names. */
  listPassphrases(): Promise<{ name: string; setAt: number }[]>;
  /** Counts a try as a wrong one and gives the hash, unless too many went before; null when there is none of that name. */
  tryPassphrase(attempt: {
    name: string;
    at: number;
  }): Promise<{ hash: string } | { blockedUntil: number } | null>;
  /** The last try was right. */
  clearPassphraseTries(name: string): Promise<void>;
  /** @throws UsageError `token-exists` while another of that name is not revoked. */
  createToken(token: Pick<Token, "hash" | "name" | "role" | "createdAt">): Promise<void>;
  readToken(hash: string): Promise<Token | null>;
  /** Revoked ones too, oldest first. */
  listTokens(): Promise<Token[]>;
  /** Notes that it was used then. */
  useToken(use: { hash: string; at: number }): Promise<void>;
  /** @throws NotFoundError `no-token` */
  revokeToken(revoke: { name: string; at: number }): Promise<Token>;
  /** Removes those that have expired. */
  createLogin(login: Login): Promise<void>;
  /** Expired ones too. */
  readLogin(hash: string): Promise<Login | null>;
  endLogin(end: { hash: string; at: number }): Promise<void>;
  /** All of them: every browser must log in again. */
  endLogins(): Promise<void>;

  /**
   * Writes a call, unless it is there already: `begun` is false then, and `call` what is there. Calls
   * that began before `forgetBefore` are forgotten.
   */
  beginCall(
    begin: Omit<Call, "answer"> & { forgetBefore: number },
  ): Promise<{ begun: boolean; call: Call }>;
  /** Notes the turn or run that a call is about. */
  acceptCall(accept: CallId & { subject: string }): Promise<void>;
  /** Keeps what was answered, once; the answer goes with the session that it tells about. */
  settleCall(
    settle: CallId & { status: number; body: string; session: string | null },
  ): Promise<void>;
  /** Forgets a call without an answer, so that it can be made again. */
  dropCall(call: CallId): Promise<void>;

  createWebhook(webhook: Webhook): Promise<void>;
  readWebhook(id: string): Promise<Webhook | null>;
  /** Oldest first. */
  listWebhooks(): Promise<Webhook[]>;
  /** With its deliveries. @throws NotFoundError `no-webhook` */
  removeWebhook(remove: { id: string; at: number }): Promise<void>;
  /**
   * The webhook was shown the events after `after`, up to `upTo`: those it is to be told of are due at
   * once, as `webhook:<delivery>`. False, and nothing is written, when somebody else did so. Deliveries
   * that are over and began before `forgetBefore` are forgotten.
   */
  queueDeliveries(queue: {
    webhook: string;
    after: number;
    upTo: number;
    deliveries: readonly Pick<Delivery, "id" | "seq" | "type">[];
    forgetBefore: number;
    at: number;
  }): Promise<boolean>;
  /** Notes a try of what `owner` claimed, and puts it back for `again`; void when the claim has passed on. */
  settleDelivery(
    settle: Pick<Delivery, "id" | "state" | "status" | "error"> & {
      owner: string;
      again: number | null;
      at: number;
    },
  ): Promise<void>;
  /** Makes it due once more. @throws NotFoundError `no-delivery` */
  replayDelivery(replay: { id: string; at: number }): Promise<Delivery>;
  readDelivery(id: string): Promise<Delivery | null>;
  /** Newest first. */
  listDeliveries(query: { webhook?: string; limit: number }): Promise<Delivery[]>;

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
  /** The highest seq; 0 when nothing has happened. */
  lastEvent(): Promise<number>;
  /** A place for what `id` names; true when it has one already. False when `max` of the host are taken. */
  takeSlot(slot: Slot & { max: number }): Promise<boolean>;
  freeSlot(id: string): Promise<void>;
  /** Oldest first. */
  listSlots(host: string): Promise<Slot[]>;
  /** Says that a process at this place has the home open; its number grows with each. */
  beat(beat: Pick<HostRecord, "id" | "name" | "at">): Promise<void>;
  readHost(id: string): Promise<HostRecord | null>;
  /** The one that beat last comes first. */
  listHosts(): Promise<HostRecord[]>;
  /**
   * Claims what is due until `until`; one claim per key at a time, in the order of `at`. A claim that
   * is not settled within a minute of its `at` may be given to another owner. `kind` is what the id
   * begins with, before its first colon; `webhook` takes deliveries to that one alone.
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
   * Removes a claimed row, or puts it back for `again` and counts a failure. Void when the claim has
   * passed to another owner.
   */
  settleDue(settle: { id: string; owner: string; again: number | null }): Promise<void>;

  /**
   * The machine runs since the start `boot`. If the store was last used in another one, events that
   * were written ahead may be gone though somebody has seen them: an event `home.booted` tells so, and
   * its number is so far from the last one that none is given twice. True in a new one.
   */
  recordBoot(record: { boot: string; at: number }): Promise<boolean>;

  /** Writes the run with its first event, in the hands of `owner`. @throws UsageError `run-exists` */
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
  /** Every run that has not ended and has an owner, or is `running` without one, oldest first. */
  listActiveRuns(): Promise<Run[]>;
  /**
   * Makes `owner`, or nobody, the owner if `token` still is current: the new token, or null when it is
   * not. A run that has ended is nobody's.
   */
  takeRun(take: {
    run: string;
    token: number;
    owner: ProcessIdentity | null;
  }): Promise<number | null>;
  /**
   * Appends what happened, and all that follows from it in one: the run's status, inbox items that are
   * opened (their sessions, where they exist, are held by `gate:<item>`), what is due. A run that ends
   * closes its open items as `cancelled`, releases the sessions of all of its items, and has no owner any more; a deadline
   * that was due as `deadline:<item>` goes with its item.
   * @throws FencedError when `token` is stale or the run has ended; @throws StoreError `conflict` when the stream is not at `expectedSeq`.
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
   * Notes that the run could not be advanced, for the `failures`-th time in a row, and keeps the error
   * with it; an advance with events begins the count anew. From `limit` on the run is `stuck`: it has no owner, its stream has `run.stuck`, and
   * `item` asks a person, unless an item of that kind is open already. Returns the run as it is then.
   * @throws FencedError when `token` is stale or the run has ended.
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
   * Appends an event of somebody who does not carry the run: a cancel, a rerun. `status` is what the
   * run is from then on; null leaves it. Returns the stream's new seq.
   * @throws NotFoundError `no-run`; @throws StoreError `conflict` when `ifStatus` does not hold it.
   */
  signalRun(signal: {
    run: string;
    event: NewEvent;
    status: RunStatus | null;
    ifStatus: readonly RunStatus[];
    at: number;
  }): Promise<number>;
  /**
   * Resolves an open item, once: item, event on the run's stream (`gate.answered`, or `gate.expired` when
   * its deadline had passed by `at`), its sessions held by `run:<run>` instead, no deadline of it due,
   * and the run's status `running`, unless it is stuck. The item of a stuck run lets it be
   * `running` again (`run.retried`), or ends it (`run.cancelling`, `run.ended`) when the choice is `cancel`. `given` is false when it was resolved before; the item says how.
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
  /** Resolves an open item whose deadline has passed by `at` as expired; false when there is nothing to do. */
  expireItem(expire: { item: string; at: number }): Promise<boolean>;
  readItem(id: string): Promise<InboxItem | null>;
  findItems(prefix: string, limit: number): Promise<string[]>;
  /**
   * Open ones, oldest first; with `all` the resolved ones as well, newest first. `after` is the last item of
   * the page before; `overdueAt` leaves only those whose deadline had passed by then.
   */
  listItems(query: {
    run?: string;
    all?: boolean;
    overdueAt?: number;
    after?: Pick<InboxItem, "openedAt" | "id">;
    limit: number;
  }): Promise<InboxItem[]>;
}

export interface FinishTurn extends TurnClaim {
  readonly status: TurnStatus;
  readonly output: string | null;
  readonly error: ErrorView | null;
  readonly usage: Usage | null;
  readonly notices: readonly Notice[];
  /** What a turn that ends as `waiting` waits for; null leaves what was asked before. */
  readonly asked: AskedQuestion | null;
  readonly attempt: FinishedAttempt | null;
  readonly messages: readonly NewMessage[];
  /** Ids of earlier messages that a person took back in the provider's own program. */
  readonly takenBack?: readonly string[];
  /** Replaces the pin of (key, agent); null leaves it. */
  readonly pin: Pin | null;
  readonly retire: Retirement | null;
  readonly checkpoint: NewCheckpoint | null;
  readonly at: number;
}

/** Whose turns were summed; of several the greatest name. */
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
