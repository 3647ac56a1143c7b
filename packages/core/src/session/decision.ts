/** The decision before every turn: what the provider gets, why, and each guard's two values. */

import type { SliceNow } from "../conversation/slice.ts";
import type { ErrorView } from "../errors/errors.ts";
import type { SessionKey } from "./key.ts";
import type { Handle, Runtime } from "./pin.ts";
import type { Mode, Policy, Surface } from "./policy.ts";
import type { AccountLimit, QuotaPlan, QuotaRules, SwitchedTurn } from "./quota.ts";
import type { Takeover } from "./takeover.ts";

export const guardNames = [
  "policy",
  "prior",
  "capability",
  "agent",
  "history",
  "folder",
  "runtime",
  "model",
  "account",
  "quota",
  "instructions",
  "intact",
  "healthy",
  "budget",
] as const;
export type GuardName = (typeof guardNames)[number];

export interface Verdict {
  readonly guard: GuardName;
  readonly passed: boolean;
  /** The pinned value and the value now; `unknown` where it is not known. */
  readonly stored: string;
  readonly current: string;
}

export type Outcome = "resume" | "reseed" | "blank" | "refuse";

/** One sentence that the user sees beside the answer. */
export interface Notice {
  readonly code: string;
  readonly text: string;
  /** What the sentence quotes only in part, such as a long command. */
  readonly detail?: string;
}

/**
 * `restore`: put the provider's files back from the checkpoint before the launch. `fork`: make the
 * provider session from another one's history. `compact`: this launch lets the agent's own program compact
 * its session, and the next launch sends the prompt.
 */
export type Preparation = "restore" | "fork" | "move" | "compact" | "rewind";

/** `all-hold` (every guard passed), the first failing guard of the outcome, or another cause of a refusal. */
export type Reason = GuardName | "all-hold" | "archived" | "checkpoint" | "resume-failure";

interface DecisionBase {
  readonly reason: Reason;
  readonly verdicts: readonly Verdict[];
  readonly notices: readonly Notice[];
  readonly surface: Surface;
  readonly mode: Mode;
  readonly startupPrompt: "send_intro" | "skip_intro";
  readonly runFolder: "run" | "source";
  /** The account's limit is used up: the turn waits, or goes to another agent, before anything else is done. */
  readonly quota?: QuotaPlan;
  /** The turn continues the conversation of another agent: the prompt and a notice say so. */
  readonly takeover?: Takeover;
}

/** Resume the pinned handle; the last `catchUp` messages are not in it yet and are quoted. */
export interface Resume extends DecisionBase {
  readonly outcome: "resume";
  readonly handle: Handle;
  readonly prepare: readonly Preparation[];
  readonly catchUp: number;
  /** With `compact` in `prepare`: what the summary should focus on. */
  readonly compact?: Compaction;
  /** The previous turn was cut off and its effects are in the provider session: the prompt says so. */
  readonly cutOff?: boolean;
  /** A summary may have replaced the agent's instructions, so they are sent again. */
  readonly instruct?: boolean;
  /** The agent's instructions are not those that the provider session has: the prompt says so. */
  readonly instructionsChanged?: boolean;
  /** The provider session contains an unconfirmed turn of ours, and this turn builds on it. */
  readonly keepsUnconfirmed?: boolean;
}
export interface Reseed extends DecisionBase {
  readonly outcome: "reseed";
  /** A summary of the transcript is sent. */
  readonly compact?: Compaction;
}

export interface Compaction {
  /** What the summary should focus on, if the caller said so. */
  readonly focus: string | null;
}
export interface Blank extends DecisionBase {
  readonly outcome: "blank";
}
export interface Refuse extends DecisionBase {
  readonly outcome: "refuse";
  readonly error: ErrorView;
}
export type Decision = Resume | Reseed | Blank | Refuse;

export interface Budget {
  readonly maxAge: number | null;
  readonly maxBytes: number | null;
  readonly maxTokens: number | null;
  readonly over: "warn" | "compact" | "reseed" | "refuse";
}

/** The rules that a person set for this session. */
export interface Rules {
  readonly onResumeFailure: "reseed" | "fail";
  readonly acrossAccounts: "refuse" | "reseed" | "resume";
  readonly onInstructionsChange: "note" | "reseed";
  readonly onModelChange: "note" | "reseed";
  readonly onAdvanced: "reseed" | "catch-up";
  readonly maxStrikes: number;
  readonly budget: Budget;
  readonly quota: QuotaRules;
}

/** What this turn asks for. */
export interface Wanted {
  readonly key: SessionKey;
  readonly agent: string;
  readonly provider: string;
  readonly policy: Policy;
  /** Real path; the last known one if it no longer exists. */
  readonly folder: string;
  readonly model: string | null;
  readonly instructions: string | null;
  readonly rules: Rules;
  /** It is tried although the account's limit is used up. */
  readonly now?: boolean;
  /** It was handed over to this agent. */
  readonly switched?: SwitchedTurn;
}

/** The provider's history compared with the pin. */
export type HistoryState =
  | { readonly state: "same" | "compacted" | "unknown" }
  /** The provider's own program was used: there are `items` more than we confirmed. */
  | { readonly state: "advanced"; readonly items: number }
  /**
   * A person rewound the conversation in the provider's own program: the first `kept` of our items are still
   * current, `items` new ones follow, and `takenBack` messages are no longer current.
   */
  | {
      readonly state: "rewound";
      readonly kept: number;
      readonly items: number;
      readonly takenBack: number;
    }
  /** Reading it failed, so nothing is known about it. */
  | { readonly state: "unread"; readonly error: ErrorView }
  /** An unconfirmed turn of ours left something behind. */
  | { readonly state: "unconfirmed"; readonly tools: boolean; readonly restorable: boolean }
  | {
      readonly state: "restorable";
      readonly found: Damage;
      /** Only a checkpoint from before the last confirmed turn is whole: what came after it is sent again. */
      readonly earlier?: boolean;
      /** The checkpoint contains an unconfirmed turn, kept because a tool ran in it. */
      readonly unconfirmed?: boolean;
    }
  /** A fork that the turn makes or cannot make. `moved-on`: its source has continued since. */
  | { readonly state: "forkable" }
  | { readonly state: "unforkable"; readonly why: "unable" | "moved-on" | Damage }
  | {
      readonly state: "lost";
      readonly found: Damage;
      readonly checkpoint: "none" | "damaged" | "newer" | "foreign" | "not restored";
    };

export type Damage = "missing" | "unreadable" | "shorter" | "altered";

/** Everything that was read before deciding. */
export interface Observed {
  readonly now: number;
  readonly archived: boolean;
  readonly purgedAt: number | null;
  /** The agent and the provider of the conversation's last answer. */
  readonly lastAgent: string | null;
  readonly lastProvider: string | null;
  readonly slice: SliceNow;
  readonly runtime: Runtime;
  readonly account: string | null;
  /** The same account, as earlier versions named it; absent if they named it in the same way. */
  readonly accountBefore?: string | null;
  /** The last limit of this account that a turn found used up; its reset may have come meanwhile. */
  readonly limit?: AccountLimit | null;
  readonly history: HistoryState;
  /** The folder that the turn would work in does not exist, or cannot be read. */
  readonly folderGone?: boolean;
  /** Why the pinned handle must never be used again. */
  readonly retired: string | null;
  /** A caller asked to compact the session. */
  readonly compaction?: Compaction | null;
  /** The previous attempt did not fit into the model's context. */
  readonly overflowed?: boolean;
  /** The agent's own program can compact this session and has not tried to in this turn. */
  readonly compacts?: boolean;
}
