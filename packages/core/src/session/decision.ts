/** The decision before every turn: what the provider gets, why, and each guard's two values. */

import type { ErrorView } from "../errors/errors.ts";
import type { SessionKey } from "./key.ts";
import type { ChainEnd, Handle, Runtime } from "./pin.ts";
import type { Mode, Policy, Surface } from "./policy.ts";

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
  "instructions",
  "intact",
  "healthy",
  "budget",
] as const;
export type GuardName = (typeof guardNames)[number];

export interface Verdict {
  readonly guard: GuardName;
  readonly passed: boolean;
  /** What the pin has, and what is now; `unknown` where nobody can tell. */
  readonly stored: string;
  readonly current: string;
}

export type Outcome = "resume" | "reseed" | "blank" | "refuse";

/** What a person, and where it matters the agent, must be told. */
export interface Notice {
  readonly code: string;
  readonly text: string;
}

/**
 * `restore`: put the provider's files back from the checkpoint before the launch. `fork`: make the
 * provider session from another one's past. `compact`: the launch lets the agent's own program compact
 * its session, and the next one sends the prompt.
 */
export type Preparation = "restore" | "fork" | "move" | "compact" | "rewind";

/** `all-hold`, the first failing guard of the outcome, or what refused beside the guards. */
export type Reason = GuardName | "all-hold" | "archived" | "checkpoint" | "resume-failure";

interface DecisionBase {
  readonly reason: Reason;
  readonly verdicts: readonly Verdict[];
  readonly notices: readonly Notice[];
  readonly surface: Surface;
  readonly mode: Mode;
  readonly startupPrompt: "send_intro" | "skip_intro";
  readonly runFolder: "run" | "source";
}

/** Resume the pinned handle; the last `catchUp` messages are not in it yet and are quoted. */
export interface Resume extends DecisionBase {
  readonly outcome: "resume";
  readonly handle: Handle;
  readonly prepare: readonly Preparation[];
  readonly catchUp: number;
  /** With `compact` in `prepare`: what the summary shall mind. */
  readonly compact?: Compaction;
  /** The turn before was cut off, and the provider session has what it did: the agent is told so. */
  readonly cutOff?: boolean;
  /** A summary may have taken the place of the agent's instructions: they are told again. */
  readonly instruct?: boolean;
}
export interface Reseed extends DecisionBase {
  readonly outcome: "reseed";
  /** The transcript is sent in short. */
  readonly compact?: Compaction;
}

export interface Compaction {
  /** What matters most in what follows, if somebody said it. */
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
  readonly acrossAccounts: "refuse" | "summary" | "reseed";
  readonly onInstructionsChange: "note" | "reseed";
  readonly onModelChange: "note" | "reseed";
  readonly onAdvanced: "reseed" | "catch-up";
  readonly maxStrikes: number;
  readonly budget: Budget;
}

/** What this turn asks for. */
export interface Wanted {
  readonly key: SessionKey;
  readonly agent: string;
  readonly provider: string;
  readonly policy: Policy;
  /** Real path, or as it was where it does not exist any more. */
  readonly folder: string;
  readonly model: string | null;
  readonly instructions: string | null;
  readonly rules: Rules;
}

/** What the provider's history looks like beside the pin. */
export type HistoryState =
  | { readonly state: "same" | "compacted" | "unknown" }
  /** Somebody used the provider's own program: `items` more than we confirmed. */
  | { readonly state: "advanced"; readonly items: number }
  /**
   * A person went back in the provider's own program: the first `kept` of our items are still current,
   * `items` came after them, and `takenBack` messages of the conversation are not current any more.
   */
  | {
      readonly state: "rewound";
      readonly kept: number;
      readonly items: number;
      readonly takenBack: number;
    }
  /** Reading it failed, which says nothing about it. */
  | { readonly state: "unread"; readonly error: ErrorView }
  /** Our own turn, never confirmed, left something behind. */
  | { readonly state: "unconfirmed"; readonly tools: boolean; readonly restorable: boolean }
  | {
      readonly state: "restorable";
      readonly found: Damage;
      /** Only a checkpoint from before the last confirmed turn is whole: what came since is told again. */
      readonly earlier?: boolean;
      /** The checkpoint has an unconfirmed turn that is kept for its tools. */
      readonly unconfirmed?: boolean;
    }
  /** A fork that the turn makes, or can not make: `moved-on` is its source. */
  | { readonly state: "forkable" }
  | { readonly state: "unforkable"; readonly why: "unable" | "moved-on" | Damage }
  | {
      readonly state: "lost";
      readonly found: Damage;
      readonly checkpoint: "none" | "damaged" | "newer" | "foreign";
    };

export type Damage = "missing" | "unreadable" | "shorter" | "altered";

/** A part of the conversation beside what the pin was given. */
export interface Measure extends ChainEnd {
  /** Digest of as many messages as the pin was given; null when there are fewer. */
  readonly prefix: string | null;
}

/** The agent's slice of the conversation now. */
export interface SliceNow extends Measure {
  /** Messages before the slice, which a hand-off note sums up. */
  readonly earlier: number;
  /** Where another agent answered since: the slice as it was at the agent's own last answer, and all that came after. */
  readonly overtaken?: Measure;
}

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
  readonly history: HistoryState;
  /** The folder that the turn would work in does not exist, or cannot be read. */
  readonly folderGone?: boolean;
  /** Why the pinned handle must never be used again. */
  readonly retired: string | null;
  /** Somebody wants the session shorter. */
  readonly compaction?: Compaction | null;
  /** The attempt before did not fit into the model's context. */
  readonly overflowed?: boolean;
  /** The agent's own program can compact this session as it is, and has not tried to in this turn. */
  readonly compacts?: boolean;
}
