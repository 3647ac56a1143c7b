/** Sessions: one continuous conversation per key. */

import type { Access, OnDenied } from "../session/access.ts";
import type { Continuity, RunMode, Surface } from "../session/policy.ts";
import type { BusyPolicy, TurnStatus } from "../session/turn.ts";
import type { NoticeView } from "./notice.ts";
import type { DecisionView, SendOptions, TurnResult, TurnSummary } from "./turns.ts";

export interface Explain {
  key: string;
  /** Required for a new key; otherwise the agent of the last turn. */
  agent?: string | null | undefined;
  surface?: Surface | undefined;
  mode?: RunMode | null | undefined;
  /** `reseed`: a new provider session with the transcript. `blank`: a new one without it. */
  continuity?: Continuity | null | undefined;
  /** Folder to work in; otherwise the session stays in its folder. */
  folder?: string | null | undefined;
  /** The caller's current folder, for a new session when neither the call nor its agent names a folder. */
  cwd?: string | null | undefined;
  model?: string | null | undefined;
  /** Tries the turn even if the limit of its agent's account is used up. */
  now?: boolean | null | undefined;
}

export interface Send extends Explain {
  prompt: string;
  /** What to do when the session is in use. */
  busy?: BusyPolicy | null | undefined;
  /** Instructions for the agent, sent with the first prompt and again when they change. */
  instructions?: string | null | undefined;
  channel?: string | null | undefined;
  /** Milliseconds after which the turn is ended. */
  timeout?: number | null | undefined;
  /** Id of the turn that this call is made from; such a turn does not wait for a free agent. */
  within?: string | null | undefined;
  /** Who sends it, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
  /** What the agent may do in this turn only. */
  access?: Access | null | undefined;
  /** Commands that the agent may run in this turn in addition to its own. */
  allowedCommands?: string[] | null | undefined;
  onDenied?: OnDenied | null | undefined;
}

export interface FinishSession {
  key: string;
  busy?: BusyPolicy | null | undefined;
  /** Milliseconds after which the turn is ended. */
  timeout?: number | null | undefined;
  /** Id of the turn that this call is made from; such a turn does not wait for a free agent. */
  within?: string | null | undefined;
  /** Who continues it, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
}

/** Which sessions to list or count; a session must match all that is given. */
export interface SessionFilter {
  agent?: string;
  /** A part of the key or of the agent's name, in upper or lower case. */
  q?: string;
  /** The status of its open turn, else of its last one; or `archived`. */
  status?: TurnStatus | "archived";
  /** Works in this folder or below it. */
  folder?: string;
  /** Used since then, in milliseconds since 1970. */
  since?: number;
  /** False leaves out the sessions that workflow runs made, whose keys begin with `wf:`. True unless given. */
  ofRuns?: boolean;
}

export interface SessionView {
  key: string;
  agent: string;
  provider: string;
  /** Counts the provider sessions of this key. */
  epoch: number;
  turns: number;
  /** Id of the provider session. */
  handle: string | null;
  lastOutcome: string | null;
  lastStatus: string | null;
  /** The status of its open turn, else of its last one. */
  status: string | null;
  archivedAt: number | null;
  /** Who holds the session. */
  held: { by: string; reason: string | null; at: number }[];
  /** Set when the next new provider session begins with a summary. */
  compaction: { focus: string | null; at: number } | null;
  /** The session's own settings, as a user would write them. */
  settings: Record<string, string | number>;
  channel: string | null;
  createdAt: number;
  updatedAt: number;
}

export interface SessionDetail extends SessionView {
  /** What the session is bound to, per agent. */
  pins: {
    agent: string;
    handle: string;
    folder: string;
    model: string | null;
    confirmedAt: number;
  }[];
  recent: TurnSummary[];
}

export interface Explanation {
  key: string;
  agent: string;
  provider: string;
  decision: DecisionView;
  /** The turn that has the session now, if any. */
  heldBy: { turn: string; status: string; pid: number | null } | null;
}

export interface Verification {
  key: string;
  agent: string;
  provider: string;
  handle: string | null;
  /** `same`, `advanced`, `restorable`, `lost`, …; `none` when the session has no pin. */
  history: string;
  /** State of the newest checkpoint: `whole`, `none`, `damaged`, `newer` or `foreign`. */
  checkpoint: string;
  /** All checkpoints that are kept, how many of them can be restored, and the parts they consist of. */
  checkpoints: { kept: number; whole: number; parts: number; damagedParts: number };
  /** `altered`: messages whose text differs from what was recorded. */
  transcript: { messages: number; given: number; altered: number };
  sound: boolean;
  findings: string[];
}

export interface Hold {
  key: string;
  /** Who holds it; `person` unless given. */
  by?: string | undefined;
  reason?: string | null | undefined;
}

export interface Release {
  key: string;
  /** Whose hold ends; `person` unless given. */
  by?: string | undefined;
}

export interface CompactSession {
  key: string;
  /** What the summary should focus on. */
  focus?: string | null | undefined;
}

export interface SetSession {
  key: string;
  /** null removes the session's own value. */
  settings: Record<string, string | number | null>;
  /** Who changes them, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
}

export interface Prune {
  /** Archive and purge now; as the setting `prune.mode` says unless given. */
  enforce?: boolean | null | undefined;
}

export interface RetentionStepView {
  key: string;
  action: "archive" | "purge";
  reason: string;
}

export interface PruneReport {
  enforced: boolean;
  /** What was done, or would be. */
  steps: RetentionStepView[];
  /** Also due, but held or in use. */
  spared: RetentionStepView[];
  /** Used, held or changed since they were selected, and therefore left alone. */
  skipped: RetentionStepView[];
}

export interface ForkSession {
  key: string;
  newKey: string;
  /** Turn to fork at: its number, its id or a unique prefix of it; the end unless given. */
  at?: string | null | undefined;
}

/** At least one of `folder` and `home` is required. */
export interface MoveSession {
  key: string;
  /** Folder that the next turns work in. */
  folder?: string | null | undefined;
  /** Home folder of the provider that the session moves to. */
  home?: string | null | undefined;
  /** Who moves it, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
}

export interface ExportSession {
  key: string;
  /** Leave the provider's files out: the next turn elsewhere starts from the transcript. */
  transcriptOnly?: boolean | undefined;
  /** Who exports it, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
}

export interface ImportSession {
  bundle: Uint8Array;
  /** The key of the exported session unless given. */
  key?: string | null | undefined;
  /** The agent of the same name unless given. */
  agent?: string | null | undefined;
  /** The agent's folder unless given, otherwise the current one. */
  folder?: string | null | undefined;
}

export interface AdoptSession {
  provider: string;
  /** The provider's own id of the conversation. */
  id: string;
  key: string;
  /** The only agent of that provider unless given, or the one that you chose for the folder. */
  agent?: string | null | undefined;
  folder?: string | null | undefined;
}

export interface CreatedSession {
  key: string;
  agent: string;
  provider: string;
  messages: number;
  /** What the first turn will do if nothing changes before it. */
  next: "resume" | "reseed";
  notices: NoticeView[];
}

export interface MovedSession {
  key: string;
  agent: string;
  provider: string;
  handle: string;
  folder: string;
  place: string;
  notices: NoticeView[];
}

export interface OpenedSession {
  key: string;
  agent: string;
  provider: string;
  turn: string;
  /** Exit code of the agent's program; 128 + signal. */
  exit: number;
  /** Messages that were typed and answered there. */
  messages: number;
  /** Earlier messages that were rewound there. */
  takenBack: number;
  notices: NoticeView[];
}

/** Options of calls that only look. */
export interface LookOptions {
  /** false: the caller may not start programs, so no path that it names is looked at. */
  readonly mayRun?: boolean;
}

/** Sessions of the home. */
export interface SessionsApi {
  /**
   * Sends a prompt to a session and waits for the end of the turn. Everything else builds on this call.
   * A turn that fails is not an exception: see `status` and `error` of the result.
   * @throws UsageError for bad input, NotFoundError `no-agent`, BusyError when the session is in use and `busy` is `fail`.
   * @example
   * const turn = await reprise.sessions.send({ key: "fix-42", agent: "coder", prompt: "Fix the parser." });
   * console.log(turn.turn.status, turn.decision?.outcome, turn.output);
   */
  send(send: Send, options?: SendOptions): Promise<TurnResult>;
  /**
   * Continues a turn that was cut off, without sending its prompt again.
   * @throws RefusedError `nothing-to-finish` when the last turn was not cut off, or left nothing to continue.
   * @example
   * const turn = await reprise.sessions.finish({ key: "fix-42" });
   */
  finish(finish: FinishSession, options?: SendOptions): Promise<TurnResult>;
  /**
   * Lists sessions in the order of their keys, or the last used first, 100 unless `limit` is given. `after` is the
   * last key of the page before.
   * @example
   * for (const { key, turns } of await reprise.sessions.list({ agent: "coder" })) console.log(key, turns);
   */
  list(
    query?: SessionFilter & { order?: "key" | "used"; after?: string; limit?: number },
  ): Promise<SessionView[]>;
  /**
   * Counts sessions.
   * @example
   * const atWork = await reprise.sessions.count({ status: "running" });
   */
  count(filter?: SessionFilter): Promise<number>;
  /**
   * Shows a session and its recent turns.
   * @throws NotFoundError `no-session`
   * @example
   * const { recent } = await reprise.sessions.show("fix-42");
   */
  show(key: string): Promise<SessionDetail>;
  /**
   * Tells what `send` would decide now, and why. Changes nothing.
   * @example
   * const { decision } = await reprise.sessions.explain({ key: "fix-42" });
   * console.log(decision.outcome, decision.reason);
   */
  explain(explain: Explain, options?: LookOptions): Promise<Explanation>;
  /**
   * Compares the provider's history, the checkpoints and the transcript. Changes nothing.
   * @example
   * const damaged = (await reprise.sessions.verify("fix-42")).filter(({ sound }) => !sound);
   */
  verify(key: string): Promise<Verification[]>;
  /**
   * Deletes a session with its transcript and checkpoints. `force` also deletes a session that is held; `by` is
   * recorded with the event, and is your user's name unless given.
   * @example
   * await reprise.sessions.purge("fix-42", { force: true });
   */
  purge(key: string, options?: { force?: boolean; by?: string }): Promise<void>;
  /**
   * Creates a session with the same past, up to its end or to a turn. The original is not changed.
   * @throws TerminalError `session-exists` when `newKey` is taken.
   * @example
   * const { next } = await reprise.sessions.fork({ key: "fix-42", newKey: "fix-42-b", at: "3" });
   */
  fork(fork: ForkSession): Promise<CreatedSession>;
  /**
   * Moves a session to another folder, or to another home of its provider, where it still resumes.
   * @example
   * await reprise.sessions.move({ key: "fix-42", folder: "/srv/project" });
   */
  move(move: MoveSession): Promise<MovedSession>;
  /**
   * Returns a session as a bundle for another home. A bundle is sensitive: it contains the whole conversation.
   * @example
   * const bundle = await reprise.sessions.export({ key: "fix-42" });
   */
  export(session: ExportSession): Promise<Uint8Array>;
  /**
   * Creates a session from a bundle.
   * @throws TerminalError `session-exists` when the key is taken.
   * @example
   * const bundle = await reprise.sessions.export({ key: "fix-42" });
   * await reprise.sessions.import({ bundle, key: "fix-42-copy" });
   */
  import(session: ImportSession): Promise<CreatedSession>;
  /**
   * Takes over a conversation that was started in the provider's own program.
   * @throws NotFoundError `no-provider-session` when the provider does not know the id.
   * @example
   * await reprise.sessions.adopt({
   *   provider: "claude",
   *   id: "0199a1b2-3c4d-7e8f-9012-3456789abcde",
   *   key: "fix-42",
   *   agent: "coder",
   * });
   */
  adopt(session: AdoptSession): Promise<CreatedSession>;
  /**
   * Runs the provider's own program on the session in this terminal, then imports what was typed. Not available
   * over a connection.
   * @example
   * const { messages } = await reprise.sessions.open("fix-42");
   */
  open(key: string, options?: Pick<SendOptions, "signal" | "onProgress">): Promise<OpenedSession>;
  /**
   * Holds a session: it is not archived, purged or reset until every hold is released.
   * @example
   * await reprise.sessions.hold({ key: "fix-42", by: "ann", reason: "audit" });
   */
  hold(hold: Hold): Promise<SessionView>;
  /**
   * Ends a hold.
   * @throws NotFoundError `no-hold`
   * @example
   * await reprise.sessions.release({ key: "fix-42", by: "ann" });
   */
  release(release: Release): Promise<SessionView>;
  /**
   * Archives a session: everything is kept, and turns are refused until `revive`. `by` is recorded with the event, and is your
   * user's name unless given.
   * @example
   * await reprise.sessions.archive("fix-42");
   */
  archive(key: string, options?: { by?: string }): Promise<SessionView>;
  /**
   * Makes an archived session usable again. `by` is recorded with the event, and is your user's name unless given.
   * @example
   * await reprise.sessions.revive("fix-42");
   */
  revive(key: string, options?: { by?: string }): Promise<SessionView>;
  /**
   * Compacts a session with its next turn: the agent compacts it itself, or a new provider session starts with a
   * summary of the conversation.
   * @example
   * await reprise.sessions.compact({ key: "fix-42", focus: "the parser" });
   */
  compact(compact: CompactSession): Promise<SessionView>;
  /**
   * Changes the session's own settings, which override those of the home.
   * @example
   * await reprise.sessions.set({ key: "fix-42", settings: { onResumeFailure: "reseed" } });
   */
  set(set: SetSession): Promise<SessionView>;
  /**
   * Archives sessions that are no longer used and purges those archived long ago, or lists what it would do.
   * @example
   * const { steps } = await reprise.sessions.prune({ enforce: false });
   */
  prune(prune?: Prune): Promise<PruneReport>;
}
