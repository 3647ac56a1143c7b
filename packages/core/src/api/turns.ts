/** Turns: one prompt and its answer, the decision that was made for it, and its attempts. */

import type { ErrorView } from "../errors/errors.ts";
import type { Access } from "../session/access.ts";
import type { GuardName } from "../session/decision.ts";
import type { Surface } from "../session/policy.ts";
import type { TurnStatus } from "../session/turn.ts";
import type { TurnWaiting } from "../session/waiting.ts";
import type { NoticeView } from "./notice.ts";

/** Tokens of a turn; a count that the provider does not report is null. */
export interface UsageView {
  cachedRead: number | null;
  cachedWrite: number | null;
  uncached: number | null;
  output: number | null;
}

/** What one guard compared. */
export interface VerdictView {
  guard: GuardName;
  passed: boolean;
  /** @deprecated The earlier name of `passed`. */
  held: boolean;
  /** What the pin has; `unknown` where it does not say. */
  stored: string;
  /** What applies now; `unknown` where that cannot be determined. */
  current: string;
}

/** How a turn continues its session, and why. */
export interface DecisionView {
  outcome: "resume" | "reseed" | "blank" | "refuse";
  /** Name of the guard or rule that decided. */
  reason: string;
  verdicts: VerdictView[];
  surface: Surface;
  mode: string;
  startupPrompt: "send_intro" | "skip_intro";
  runFolder: "run" | "source";
  notices: NoticeView[];
  /** The provider session that is resumed. */
  handle?: { id: string; place: string } | undefined;
  prepare?: string[] | undefined;
  catchUp?: number | undefined;
  /** resume: the agent's program compacts the session first. reseed: a summary of the transcript is sent. */
  compact?: { focus: string | null } | undefined;
  /** The turn before was cut off, and the prompt tells the agent so. */
  cutOff?: boolean | undefined;
  /** The prompt repeats the agent's instructions. */
  instruct?: boolean | undefined;
  /** The agent's instructions changed, and the prompt tells the agent so. */
  instructionsChanged?: boolean | undefined;
  /** The provider session keeps a turn that was not confirmed, and this turn builds on it. */
  keepsUnconfirmed?: boolean | undefined;
  /** The limit of the agent's account is used up until then: the turn waits, or goes to `agent`. */
  quota?: { action: "wait" | "switch"; until: number; agent?: string | undefined } | undefined;
  /** The turn continues the conversation of another agent. */
  takeover?: { by: SpeakerView; from: SpeakerView } | undefined;
  error?: ErrorView | undefined;
}

export interface SpeakerView {
  agent: string;
  /** null if it is not known. */
  provider: string | null;
}

/** A tool that the agent was denied. */
export interface DenialView {
  tool: string;
  /** The command, path or pattern, where it is known. */
  detail: string | null;
}

/** One launch of the agent for a turn. */
export interface AttemptView {
  number: number;
  decision: DecisionView;
  /** The command that was started; null when none was. */
  argv: string[] | null;
  handle: string | null;
  exit: string | null;
  ending: string | null;
  error: ErrorView | null;
  usage: UsageView | null;
  /** Whether a tool ran. */
  tools: boolean;
  denied: DenialView[];
  startedAt: number;
  endedAt: number | null;
}

export interface QuestionView {
  id: string;
  kind: "question" | "permission";
  tool: string;
  input: unknown;
}

/** What a waiting turn asked. */
export interface AskedView {
  question: QuestionView;
  /** Questions that the provider dropped because it asked several at once; the answer tells the agent so. */
  lost: QuestionView[];
}

export interface TurnResult {
  turn: { id: string; seq: number; status: TurnStatus };
  session: { key: string; agent: string; provider: string; epoch: number };
  prompt: string;
  /** The decision of the last attempt; null before the first. */
  decision: DecisionView | null;
  attempts: AttemptView[];
  /** What a waiting turn waits for. */
  asked: AskedView | null;
  /** What the agent was allowed to do; null before the launch. */
  access: Access | null;
  /** Tools that the agent was denied. */
  denied: DenialView[];
  /** The agent's answer. */
  output: string | null;
  error: ErrorView | null;
  usage: UsageView | null;
  notices: NoticeView[];
}

export interface TurnSummary {
  id: string;
  seq: number;
  status: TurnStatus;
  /** Who cancelled the turn, where it is known. */
  cancelledBy: string | null;
  agent: string;
  outcome: string | null;
  reason: string | null;
  /** The guard that `reason` names, with its two values. */
  verdict: VerdictView | null;
  prompt: string;
  output: string | null;
  usage: UsageView | null;
  /** The user rewound the conversation to before this turn in the provider's own program. */
  takenBack: boolean;
  openedAt: number;
  endedAt: number | null;
}

export interface AnswerTurn {
  /** The waiting turn: its id, a unique prefix of it, or its session's key. */
  turn: string;
  /** Answers a single question. */
  text?: string | null | undefined;
  /** Maps each question, by its text or by its number, to its answer. */
  answers?: Record<string, string> | null | undefined;
  /** Permission: `allow` or `deny`. Only an explicit `allow` allows it. */
  choice?: string | null | undefined;
  /** Denies a permission, or declines a question, with this reason. */
  deny?: string | null | undefined;
  /** Sent to the agent with the answer; for a denial, its reason. */
  comment?: string | null | undefined;
  /** Who answers. */
  by?: string | null | undefined;
}

export interface CancelTurn {
  /** Who cancels it. */
  by?: string;
  /** Confirms that the owner's process is gone when Reprise cannot check it; the turn becomes `interrupted`. */
  ownerGone?: boolean;
}

/** A step of a turn, reported while it runs. */
export type Progress =
  | TurnWaiting
  | { readonly type: "decided"; readonly decision: DecisionView }
  | { readonly type: "launched"; readonly attempt: number }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string };

export interface SendOptions {
  /** Aborting cancels the turn and ends its processes. */
  readonly signal?: AbortSignal;
  /** Aborting stops waiting. The agent keeps working, and the next process that opens the home takes its answer. */
  readonly leave?: AbortSignal;
  /** Id for the turn. If a turn with this id exists, it is continued instead. */
  readonly id?: string;
  /** Called once, when the turn or its answer is stored and before the agent starts. */
  readonly onOpened?: (turn: string) => void;
  /** Called with each step of the turn and each piece of the answer. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Turns of all sessions. */
export interface TurnsApi {
  /**
   * Lists the turns of a session, newest first: 20 unless `limit` is given. `after` is the id of the last turn of
   * the page before.
   * @throws NotFoundError `no-session`
   * @example
   * for (const turn of await reprise.turns.list({ key: "fix-42", limit: 5 })) {
   *   console.log(turn.seq, turn.outcome, turn.status);
   * }
   */
  list(query: { key: string; after?: string; limit?: number }): Promise<TurnSummary[]>;
  /**
   * Shows a turn with its decision and attempts, by its id, a unique prefix of it, or a key (its last turn).
   * @throws NotFoundError `no-turn`
   * @example
   * const { decision } = await reprise.turns.why("fix-42");
   * for (const { guard, stored, current } of decision?.verdicts ?? []) console.log(guard, stored, current);
   */
  why(turnOrKey: string): Promise<TurnResult>;
  /**
   * Answers what a waiting turn asked, and continues the turn.
   * @throws TerminalError `answered` when it has another answer.
   * @example
   * const turn = await reprise.turns.answer({ turn: "fix-42", choice: "allow", by: "ann" });
   */
  answer(answer: AnswerTurn, options?: Omit<SendOptions, "id">): Promise<TurnResult>;
  /**
   * Cancels a turn: ends its processes, in whatever process it runs, and withdraws its question. A turn that has
   * ended stays as it is.
   * @throws NotFoundError `no-turn`
   * @example
   * const { turn } = await reprise.turns.cancel("fix-42", { by: "ann" });
   * console.log(turn.status);
   */
  cancel(turnOrKey: string, options?: CancelTurn): Promise<TurnResult>;
}
