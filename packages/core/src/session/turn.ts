/** A turn: one prompt and its answer. An attempt: one launch in it, to send the prompt or to compact first. */

import type { ErrorView } from "../errors/errors.ts";
import type { Usage } from "../usage/usage.ts";
import type { Access, Denial, OnDenied } from "./access.ts";
import type { Decision, Notice } from "./decision.ts";
import type { SessionKey } from "./key.ts";
import type { Runtime } from "./pin.ts";
import type { Continuity, RunMode, Surface } from "./policy.ts";
import type { AskedQuestion, QuestionAnswer } from "./question.ts";
import type { SwitchedTurn } from "./quota.ts";

export const turnStatuses = [
  "queued",
  "running",
  "waiting",
  "done",
  "failed",
  "refused",
  "cancelled",
  "interrupted",
  "skipped",
] as const;
export type TurnStatus = (typeof turnStatuses)[number];

/** A turn with one of these statuses has the session or waits for it. */
export const openStatuses: readonly TurnStatus[] = ["queued", "running", "waiting"];

/** What to do when the session is in use. */
export const busyPolicies = ["wait", "queue", "skip", "fail"] as const;
export type BusyPolicy = (typeof busyPolicies)[number];

/** Everything the caller asked for, stored with the turn so that any process can run it. */
export interface TurnRequest {
  readonly key: SessionKey;
  readonly agent: string;
  readonly prompt: string;
  readonly surface: Surface;
  readonly mode: RunMode | null;
  readonly continuity: Continuity | null;
  /** The folder that the caller gave; null for the session's own. */
  readonly folder: string | null;
  /** The caller's current folder, used if nothing else determines the session's folder. */
  readonly cwd: string | null;
  readonly model: string | null;
  /** Provider settings for this turn only; null removes one of the agent's. */
  readonly settings?: Readonly<Record<string, string | null>>;
  /** Folders besides the work folder that it may read but never write. */
  readonly reads?: readonly string[];
  /** Extra instructions for this turn alone. */
  readonly instructions: string | null;
  readonly channel: string | null;
  /** Milliseconds from the launch. */
  readonly timeout: number | null;
  /** JSON Schema that the answer must conform to. */
  readonly outputSchema: JsonSchema | null;
  /** It has no prompt of its own but continues a turn that was cut off. */
  readonly finishes: boolean;
  /** Nothing is sent: a person uses the agent's own program (`session open`). */
  readonly opens?: true;
  /** The level that the caller or the node sets for this turn; otherwise the agent's own applies. */
  readonly access?: Access | null;
  /** Commands for this turn besides the agent's and the user's own. */
  readonly allowedCommands?: readonly string[] | null;
  readonly onDenied?: OnDenied | null;
  /** Tried although the limit of its account is used up. */
  readonly now?: true;
  /** It was sent to another agent first, whose account's limit is used up. */
  readonly switched?: SwitchedTurn;
  /** The execution of a run that it belongs to. */
  readonly origin: { readonly run: string; readonly execution: string } | null;
  /** The turn inside which it was opened, and which may be waiting for it. Records of older versions have none. */
  readonly within?: string;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A process, distinguishable from any later one with the same pid. */
export interface ProcessIdentity {
  /** The machine's name, for people. */
  readonly host: string;
  /** Id of the home's host, from a file of the home; a restored home has a new one. Old records have none. */
  readonly hostId?: string;
  /** Digest of the machine's own id; in a container its name is part of it. Old records have none. */
  readonly machine?: string;
  /** The pid namespace in which the pid counts. Old records have none. */
  readonly namespace?: string;
  /** Changes with every start of the machine. */
  readonly boot: string;
  readonly pid: number;
  /** Start time of the process as the system counts it. */
  readonly start: string;
}

export interface Turn {
  readonly id: string;
  readonly seq: number;
  /** How often the history guard of its session has failed so far. */
  readonly epoch: number;
  readonly status: TurnStatus;
  readonly request: TurnRequest;
  readonly provider: string;
  /** The caller knows that it is queued, so it must run even if its process dies. */
  readonly acknowledged: boolean;
  /** The process that runs the turn or waits with it. */
  readonly owner: ProcessIdentity | null;
  /** Fencing token; grows with every owner. */
  readonly token: number;
  readonly attempts: readonly Attempt[];
  /** The question that it waits for or that was answered. */
  readonly asked: AskedQuestion | null;
  readonly askedAt: number | null;
  readonly answer: QuestionAnswer | null;
  /** Who gave the answer, and when; `by` is null if the caller gave no name. */
  readonly answered: { readonly by: string | null; readonly at: number } | null;
  readonly output: string | null;
  readonly error: ErrorView | null;
  readonly usage: Usage | null;
  readonly notices: readonly Notice[];
  readonly openedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** It was interrupted before any agent was started, so it can safely be sent again. */
export function isUnstarted({ status, attempts }: Pick<Turn, "status" | "attempts">): boolean {
  return status === "interrupted" && attempts.every(({ launch }) => launch === null);
}

export interface Attempt {
  readonly number: number;
  readonly decision: Decision;
  /** What it was launched with; null while nothing was launched. */
  readonly launch: LaunchFacts | null;
  /** As launched, secrets redacted; null while nothing was launched. */
  readonly argv: readonly string[] | null;
  /** The provider's id that was asked for or came back. */
  readonly handle: string | null;
  readonly exit: string | null;
  /** How it ended; null while it runs. */
  readonly ending: AttemptEnding | null;
  readonly error: ErrorView | null;
  readonly usage: Usage | null;
  /** A tool event was seen. */
  readonly tools: boolean;
  /** What the agent tried to do and was denied. */
  readonly denied: readonly Denial[];
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** What a confirmed launch pins, stored so that a process that adopts the turn pins the same. */
export interface LaunchFacts {
  readonly runtime: Runtime;
  readonly place: string;
  readonly account: string | null;
  readonly folder: string;
  readonly model: string | null;
  /** The model that was passed to the program although the caller named none (`impliedModel`). */
  readonly implied?: string;
  /** Digest of the agent's instructions that the provider session has after this turn. */
  readonly instructions: string;
  /** What it was allowed to do; missing in records of older versions. */
  readonly access?: Access;
  /** The boot of the machine in which it was made; missing in records of older versions. */
  readonly boot?: string;
  /** The host that it counts for in `maxAgents`; missing in records of older versions. */
  readonly host?: string;
}

export type AttemptEnding =
  | "confirmed"
  /** The agent's own program compacted its session; the prompt is for the next attempt. */
  | "compacted"
  /** Parked: it continues when its question is answered. */
  | "asked"
  /** Answered, but the provider did not save the turn. */
  | "ghost"
  | "rejected"
  | "poisoned"
  | "transient"
  | "failed"
  | "interrupted"
  | "cancelled"
  | "timed-out"
  | "refused";
