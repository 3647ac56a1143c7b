/** Sessions: their settings, holds, pins and transcripts. */

import type { Message, MessageOutline } from "@reprise/core/conversation/message";
import type { Decision } from "@reprise/core/session/decision";
import type { SessionKey } from "@reprise/core/session/key";
import type { Pin } from "@reprise/core/session/pin";
import type { AccountLimit } from "@reprise/core/session/quota";
import type { TurnStatus } from "@reprise/core/session/turn";
import type { SessionSettings } from "@reprise/core/settings/own-settings";
import type { CheckpointHead, NewCheckpoint } from "./checkpoints.ts";
import type { DoneBy } from "./events.ts";

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
  /** Grows whenever the pin changes. */
  readonly pinVersion: number | null;
  readonly retired: string | null;
  readonly outline: readonly MessageOutline[];
  /** The newest one of the pinned handle. */
  readonly checkpoint: CheckpointHead | null;
  readonly purgedAt: number | null;
  /** The last turn that the agent was launched for here asked a question and has ended: with its answer, or cancelled. */
  readonly askedLast: boolean;
  /** The newest turn of the key that was launched, and the folder that it works in. */
  readonly lastLaunch: { readonly turn: string; readonly folder: string } | null;
  /** The limits that turns found used up, of all accounts of the agent's provider. */
  readonly limits: readonly AccountLimit[];
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

export interface Retirement {
  readonly provider: string;
  readonly handle: string;
  readonly reason: string;
}

export interface SessionStore {
  /**
   * Writes a session that does not begin with a turn, completely or not at all.
   * @throws TerminalError `session-exists`, `handle-pinned`, `handle-retired`
   */
  createSession(creation: NewSession): Promise<void>;
  readSession(key: string): Promise<Session | null>;
  /** In order of their keys, or the last used first, after the session `after`. */
  listSessions(
    query: SessionSelection & { order?: "key" | "used"; after?: string; limit: number },
  ): Promise<Session[]>;
  countSessions(filter: SessionSelection): Promise<number>;
  /** `turn`: the turn to decide about, which does not count as launched before. */
  load(of: { key: string; agent: string; turn?: string }): Promise<SessionFacts>;
  /** Changes its own settings; null removes one. @throws NotFoundError */
  setSession(
    set: {
      key: string;
      settings: Readonly<Record<string, string | number | null>>;
      at: number;
    } & DoneBy,
  ): Promise<Session>;
  /** Asking again with another focus replaces it. @throws RefusedError `held`; @throws NotFoundError */
  compactSession(compact: { key: string; focus: string | null; at: number }): Promise<Session>;
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
  archiveSession(
    archive: {
      key: string;
      reason: string | null;
      ifUsedAt?: number;
      at: number;
    } & DoneBy,
  ): Promise<Session>;
  /** @throws NotFoundError */
  reviveSession(revive: { key: string; at: number } & DoneBy): Promise<Session>;
  /**
   * `force` also purges a held session; `ifArchivedAt` purges only a session that was archived at that time.
   * @throws BusyError while a turn is open; @throws RefusedError `held`, `changed`; @throws NotFoundError
   */
  purgeSession(
    purge: {
      key: string;
      force?: boolean;
      ifArchivedAt?: number;
      at: number;
    } & DoneBy,
  ): Promise<{ turns: string[] }>;
  /** In order of their keys, after `after`. */
  listRetention(query: { after?: string; limit: number }): Promise<RetentionRow[]>;
  /** Which of the provider's sessions continue a key; the others are left out. */
  findPinned(of: {
    provider: string;
    handles: readonly string[];
  }): Promise<{ handle: string; key: string }[]>;
  /** The pins of every agent with a confirmed turn under the key. */
  listPins(key: string): Promise<Pin[]>;
  /**
   * Replaces the pin of the key and of the agent of `to`, if it still has that version.
   * @throws BusyError while a turn has the session or its handle, or if the pin has changed.
   */
  movePin(move: { key: string; version: number; to: Pin; at: number } & DoneBy): Promise<void>;
  /** Changes the place of provider sessions in or below the folder `from` to `to`. Returns how many changed. */
  rebasePins(move: { from: string; to: string }): Promise<number>;
  readTranscript(conversation: string): Promise<Message[]>;
}
