/**
 * The one public interface of Reprise: the library is this, the command line is written against it,
 * the server exposes it and a client implements it.
 *
 * @example
 * const reprise = await openReprise({ home: "./.reprise" });
 * await reprise.agents.create({ name: "coder", provider: "codex" });
 * const turn = await reprise.sessions.send({ key: "wf:42:agent:coder", agent: "coder", prompt: "Begin." });
 * console.log(turn.decision?.outcome, turn.output);
 */

import type { z } from "zod";
import type * as portable from "./portable-schemas.ts";
import type * as runs from "./run-schemas.ts";
import type * as schemas from "./schemas.ts";
import type { SendToSession, SessionHandle } from "./session.ts";

export type CreateAgent = z.input<typeof schemas.createAgentSchema>;
export type AgentView = z.output<typeof schemas.agentSchema>;
export type ChangedAgent = z.output<typeof schemas.changedAgentSchema>;
export type SetAgent = z.input<typeof schemas.setAgentSchema>;
export type CreateClass = z.input<typeof schemas.createClassSchema>;
export type SetClass = z.input<typeof schemas.setClassSchema>;
export type AgentClassView = z.output<typeof schemas.agentClassSchema>;
export type Send = z.input<typeof schemas.sendSchema>;
export type FinishSession = z.input<typeof schemas.finishSchema>;
export type Explain = z.input<typeof schemas.explainSchema>;
export type AnswerTurn = z.input<typeof schemas.answerSchema>;
export type TurnResult = z.output<typeof schemas.turnResultSchema>;
export type DecisionView = z.output<typeof schemas.decisionSchema>;
export type TurnSummary = z.output<typeof schemas.turnSummarySchema>;
export type SessionView = z.output<typeof schemas.sessionSchema>;
export type SessionDetail = z.output<typeof schemas.sessionDetailSchema>;
export type Explanation = z.output<typeof schemas.explanationSchema>;
export type Verification = z.output<typeof schemas.verificationSchema>;
export type Readiness = z.output<typeof schemas.readinessSchema>;
export type DoctorReport = z.output<typeof schemas.doctorSchema>;
export type SettingView = z.output<typeof schemas.settingSchema>;
export type CompactSession = z.input<typeof schemas.compactSchema>;
export type UsageQuery = z.input<typeof schemas.usageQuerySchema>;
export type UsageReport = z.output<typeof schemas.usageReportSchema>;
export type BackupReport = z.output<typeof schemas.backupReportSchema>;
export type RestoreReport = z.output<typeof schemas.restoreReportSchema>;
export type Hold = z.input<typeof schemas.holdSchema>;
export type Release = z.input<typeof schemas.releaseSchema>;
export type SetSession = z.input<typeof schemas.setSessionSchema>;
export type Prune = z.input<typeof schemas.pruneSchema>;
export type PruneReport = z.output<typeof schemas.pruneReportSchema>;
export type EventView = z.output<typeof schemas.eventSchema>;
export type ForkSession = z.input<typeof portable.forkSchema>;
export type MoveSession = z.input<typeof portable.moveSchema>;
export type ExportSession = z.input<typeof portable.exportSchema>;
export type ImportSession = z.input<typeof portable.importSchema>;
export type AdoptSession = z.input<typeof portable.adoptSchema>;
export type CreatedSession = z.output<typeof portable.createdSessionSchema>;
export type MovedSession = z.output<typeof portable.movedSessionSchema>;
export type OpenedSession = z.output<typeof portable.openedSessionSchema>;

export type StartRun = z.input<typeof runs.startRunSchema>;
export type RunPlan = z.output<typeof runs.runPlanSchema>;
export type RunView = z.output<typeof runs.runSchema>;
export type RunDetail = z.output<typeof runs.runDetailSchema>;
export type ExecutionView = z.output<typeof runs.executionSchema>;
export type Rerun = z.input<typeof runs.rerunSchema>;
export interface CancelTurn {
  /** Who cancels it. */
  by?: string;
  /** Your word that its owner is gone, where Reprise cannot see it; the turn is then `interrupted`. */
  ownerGone?: boolean;
}
export type CancelRun = z.input<typeof runs.cancelRunSchema>;
export type InboxItemView = z.output<typeof runs.inboxItemSchema>;
export type InboxItemDetail = z.output<typeof runs.inboxDetailSchema>;
export type AnswerItem = z.input<typeof runs.answerItemSchema>;
export type AnsweredItem = z.output<typeof runs.answeredItemSchema>;

export interface CarryOptions {
  /** The first abort cancels the run: its processes are ended, its sessions stay. */
  readonly signal?: AbortSignal;
  /** Stops carrying the run on and leaves it as it is; whoever comes next goes on. */
  readonly leave?: AbortSignal;
}

export interface StartOptions {
  /** Called once, when what was asked for is written and before the run's next node. */
  readonly onStarted?: (run: string) => void;
}

export interface AnswerOptions {
  /** False: the answer is written, and the run is left to others. */
  readonly carry?: boolean;
  /** Called once, when the answer is written and before anything goes on; `given` is false when it was there before. */
  readonly onAnswered?: (item: string, given: boolean) => void;
}

export interface SendOptions {
  /** Aborting cancels the turn and ends its processes. */
  readonly signal?: AbortSignal;
  /** Stops carrying the turn on: its agent works on, and whoever comes next takes its answer. */
  readonly leave?: AbortSignal;
  /** Id that the turn gets; one that is there already is carried on instead. */
  readonly id?: string;
  /** Called once, when the turn, or the answer to it, is written and before it goes on. */
  readonly onOpened?: (turn: string) => void;
  /** Called while the turn goes on: a step of it, or a piece of the answer. */
  readonly onProgress?: (progress: Progress) => void;
}

export type Progress =
  /** Another turn has the session: its id, its owner, since when, and whether its owner cannot be seen from here. */
  | {
      readonly type: "waiting";
      readonly behind: string;
      readonly owner?: { readonly pid: number; readonly host: string } | null;
      readonly since?: number;
      readonly unseen?: boolean;
      /** Its owner was stopped, as by Ctrl-Z. */
      readonly stopped?: boolean;
    }
  /** As many agents work on this host as are allowed: it begins when one of them has ended. */
  | { readonly type: "limited"; readonly limit: "maxAgents"; readonly most: number }
  | { readonly type: "decided"; readonly decision: DecisionView }
  | { readonly type: "launched"; readonly attempt: number }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string };

/** Of calls that only look. */
export interface LookOptions {
  /** False: the caller may not start anything, so no path that the caller names is looked at. True unless given. */
  readonly mayRun?: boolean;
}

export interface Reprise {
  /** One session, for turns that are walked through: `for await (const step of reprise.session(key).send("…"))`. */
  session(key: string, defaults?: SendToSession): SessionHandle;
  readonly agents: {
    create(agent: CreateAgent): Promise<AgentView>;
    list(): Promise<AgentView[]>;
    show(name: string): Promise<AgentView>;
    /**
     * Changes what its next turns go by; what a session has pinned stays, and its guards compare the two.
     * Another folder is for new sessions: those that work elsewhere stay there, and `notices` names them.
     */
    set(set: SetAgent): Promise<ChangedAgent>;
    /** A definition that agents and nodes of workflows are made from; it can not be sent anything. */
    createClass(agentClass: CreateClass): Promise<AgentClassView>;
    listClasses(): Promise<AgentClassView[]>;
    showClass(name: string): Promise<AgentClassView>;
    /**
     * Changes what agents that are created, and turns of nodes that begin, go by from then on. Agents that were
     * made from it stay as they are.
     */
    setClass(set: SetClass): Promise<AgentClassView>;
  };
  readonly sessions: {
    /** Continues `key` with `prompt`: the primitive that everything else is made of. */
    send(send: Send, options?: SendOptions): Promise<TurnResult>;
    /**
     * Continues a turn that was cut off: a new turn that sends no prompt, only that the last one was cut off.
     * @throws RefusedError `nothing-to-finish` when the last turn was not, or left nothing to continue.
     */
    finish(finish: FinishSession, options?: SendOptions): Promise<TurnResult>;
    /** In order of their keys; `q` is a part of the key or of the agent's name, in any case. */
    list(query?: {
      agent?: string;
      q?: string;
      after?: string;
      limit?: number;
    }): Promise<SessionView[]>;
    show(key: string): Promise<SessionDetail>;
    /** What `send` would decide now. Changes nothing. */
    explain(explain: Explain, options?: LookOptions): Promise<Explanation>;
    /** Compares the provider's history, the checkpoint and the transcript. Changes nothing. */
    verify(key: string): Promise<Verification[]>;
    /** Removes everything under the key, checkpoints included; `force` also if somebody holds it. */
    purge(key: string, options?: { force?: boolean }): Promise<void>;
    /** A new key with the same past, up to the end or a turn; the other one is not touched. */
    fork(fork: ForkSession): Promise<CreatedSession>;
    /** Goes on in another folder, or in another home of the provider, and still resumes. */
    move(move: MoveSession): Promise<MovedSession>;
    /** The session as a bundle for another home: sensitive, since it is the whole conversation. */
    export(session: ExportSession): Promise<Uint8Array>;
    import(session: ImportSession): Promise<CreatedSession>;
    /** Takes over a conversation that was begun in the provider's own program. */
    adopt(session: AdoptSession): Promise<CreatedSession>;
    /** Runs the provider's own program on the session in this terminal, and imports what was typed. */
    open(key: string, options?: Pick<SendOptions, "signal" | "onProgress">): Promise<OpenedSession>;
    /** Keeps the session as it is: no archiving, no purge, no reset, until it is released. */
    hold(hold: Hold): Promise<SessionView>;
    release(release: Release): Promise<SessionView>;
    /** Keeps everything and refuses turns, until `revive`. */
    archive(key: string): Promise<SessionView>;
    revive(key: string): Promise<SessionView>;
    /** The next turn lets the agent compact its session, or starts a new one that begins with a summary of the conversation. */
    compact(compact: CompactSession): Promise<SessionView>;
    /** Changes the session's own settings, which come before those of all. */
    set(set: SetSession): Promise<SessionView>;
    /** Archives what nobody uses and purges what was archived long ago, or lists what it would do. */
    prune(prune?: Prune): Promise<PruneReport>;
  };
  readonly turns: {
    /** Those of a session, newest first, 20 unless `limit` says otherwise; `after` is the last turn of the page before. */
    list(query: { key: string; after?: string; limit?: number }): Promise<TurnSummary[]>;
    /** A turn by its id, or the beginning of one, or the last turn of a key. */
    why(turnOrKey: string): Promise<TurnResult>;
    /** Answers what a waiting turn asked, and carries it on. */
    answer(answer: AnswerTurn, options?: Omit<SendOptions, "id">): Promise<TurnResult>;
    /** Ends its processes, whoever carries it, and takes its question back. One that has ended is left as it is. */
    cancel(turnOrKey: string, options?: CancelTurn): Promise<TurnResult>;
  };
  readonly runs: {
    /**
     * Starts a workflow and carries it on until it ends or nothing but a person can move it.
     * @throws UsageError `bad-workflow` before anything is written.
     */
    start(start: StartRun, options?: CarryOptions & StartOptions): Promise<RunDetail>;
    /**
     * What `start` would run, checked in the same way. Changes nothing, and starts no program that the
     * workflow itself names: only those of agents and classes, and of the providers.
     */
    plan(start: StartRun, options?: LookOptions): Promise<RunPlan>;
    /** Newest first; `after` is the last run of the page before. */
    list(query?: {
      status?: RunView["status"];
      workflow?: string;
      after?: string;
      limit?: number;
    }): Promise<RunView[]>;
    /** A run by its id or the beginning of one. */
    show(run: string): Promise<RunDetail>;
    /** What happened in it, then what happens, until it has ended or `signal` aborts; `follow: false` stops at the present. */
    events(
      run: string,
      options?: { after?: number; follow?: boolean; signal?: AbortSignal },
    ): AsyncIterable<EventView>;
    /** Ends its processes; its sessions stay. A run that has ended is left as it is. */
    cancel(cancel: CancelRun): Promise<RunView>;
    /** The same run again: from what failed, from a node, or from its start; its sessions go on. */
    rerun(rerun: Rerun, options?: CarryOptions & StartOptions): Promise<RunDetail>;
    /** Goes on with a run that nobody carries: after a crash, or once somebody answered. */
    carryOn(run: string, options?: CarryOptions & StartOptions): Promise<RunDetail>;
    /** Goes on with every run that nobody carries and that can move; what a server does when it starts. */
    recover(options?: CarryOptions): Promise<RunView[]>;
  };
  readonly inbox: {
    /**
     * Open ones, oldest first: gates, and turns of agents that wait for an answer. With `all` the gates that
     * are settled as well, newest first. `after` is the last item of the page before.
     */
    list(query?: {
      run?: string;
      all?: boolean;
      after?: string;
      limit?: number;
    }): Promise<InboxItemView[]>;
    /** One item, with whether its sessions could be resumed now. */
    show(item: string): Promise<InboxItemDetail>;
    /**
     * Answers it, once, and carries its run on unless `carry` is false.
     * @throws DeniedError for somebody who may not; @throws TerminalError `answered` when it has another answer.
     */
    answer(answer: AnswerItem, options?: CarryOptions & AnswerOptions): Promise<AnsweredItem>;
  };
  /**
   * Whether work can be taken now: something is really written to the store and to the home.
   * @example if (!(await reprise.ready()).ready) return;
   */
  ready(): Promise<Readiness>;
  doctor(): Promise<DoctorReport>;
  config(): Promise<SettingView[]>;
  /** What sessions used and what resuming saved; every number says how it is known. */
  usage(query?: UsageQuery): Promise<UsageReport>;
  /** Writes all that is needed to continue the sessions into a new file, while others use the home. */
  backup(file: string): Promise<BackupReport>;
  /** Events after `after`, then as they come, until `signal` aborts. */
  events(options?: { after?: number; signal?: AbortSignal }): AsyncIterable<EventView>;
  /** Serves what was queued meanwhile, then lets go of the home. */
  close(): Promise<void>;
}
