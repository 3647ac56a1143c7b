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
import type * as schemas from "./schemas.ts";

export type CreateAgent = z.input<typeof schemas.createAgentSchema>;
export type AgentView = z.output<typeof schemas.agentSchema>;
export type Send = z.input<typeof schemas.sendSchema>;
export type Explain = z.input<typeof schemas.explainSchema>;
export type TurnResult = z.output<typeof schemas.turnResultSchema>;
export type DecisionView = z.output<typeof schemas.decisionSchema>;
export type SessionView = z.output<typeof schemas.sessionSchema>;
export type SessionDetail = z.output<typeof schemas.sessionDetailSchema>;
export type Explanation = z.output<typeof schemas.explanationSchema>;
export type Verification = z.output<typeof schemas.verificationSchema>;
export type DoctorReport = z.output<typeof schemas.doctorSchema>;
export type SettingView = z.output<typeof schemas.settingSchema>;
export type EventView = z.output<typeof schemas.eventSchema>;

export interface SendOptions {
  /** Aborting cancels the turn and ends its processes. */
  readonly signal?: AbortSignal;
  /** Called while the turn goes on: a step of it, or a piece of the answer. */
  readonly onProgress?: (progress: Progress) => void;
}

export type Progress =
  | { readonly type: "waiting"; readonly behind: string }
  | { readonly type: "decided"; readonly decision: DecisionView }
  | { readonly type: "launched"; readonly attempt: number }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string };

export interface Reprise {
  readonly agents: {
    create(agent: CreateAgent): Promise<AgentView>;
    list(): Promise<AgentView[]>;
    show(name: string): Promise<AgentView>;
  };
  readonly sessions: {
    /** Continues `key` with `prompt`: the primitive that everything else is made of. */
    send(send: Send, options?: SendOptions): Promise<TurnResult>;
    list(query?: { agent?: string; after?: string; limit?: number }): Promise<SessionView[]>;
    show(key: string): Promise<SessionDetail>;
    /** What `send` would decide now. Changes nothing. */
    explain(explain: Explain): Promise<Explanation>;
    /** Compares the provider's history, the checkpoint and the transcript. Changes nothing. */
    verify(key: string): Promise<Verification[]>;
    /** Removes everything under the key, checkpoints included. */
    purge(key: string): Promise<void>;
  };
  readonly turns: {
    /** A turn by its id, or the beginning of one, or the last turn of a key. */
    why(turnOrKey: string): Promise<TurnResult>;
  };
  doctor(): Promise<DoctorReport>;
  config(): Promise<SettingView[]>;
  /** Events after `after`, then as they come, until `signal` aborts. */
  events(options?: { after?: number; signal?: AbortSignal }): AsyncIterable<EventView>;
  /** Serves what was queued meanwhile, then lets go of the home. */
  close(): Promise<void>;
}
