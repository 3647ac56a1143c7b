/**
 * The heart of Reprise: whether the next turn resumes the pinned provider session, starts a new one
 * from our transcript, starts a blank one, or is refused. Pure: everything it needs was observed
 * before, and the one value it returns drives argv, prompt and what is stored. So an undecided start of a
 * new provider session without the transcript cannot be expressed.
 */

import type { ErrorView } from "../errors/errors.ts";
import { option, slot, verb } from "../errors/hint.ts";
import { type AttemptEvidence, type AttemptResult, classify, clause } from "./classify.ts";
import type {
  Compaction,
  Decision,
  HistoryState,
  Notice,
  Observed,
  Outcome,
  Preparation,
  Reason,
  Wanted,
} from "./decision.ts";
import {
  continued,
  excess,
  givenNow,
  type Judged,
  judge,
  keepsUnconfirmed,
  quotaPlan,
  takeoverIn,
  verdict,
} from "./guards.ts";
import { judgedHandle } from "./history.ts";
import type { Pin } from "./pin.ts";
import { modelName, startupPrompt } from "./policy.ts";
import { speakerName, type Takeover, takeoverText } from "./takeover.ts";
import type { AttemptEnding } from "./turn.ts";

/** The code of the notice that the provider compacts its session. */
export const compactionCode = "compaction";

export function decide(wanted: Wanted, pin: Pin | null, observed: Observed): Decision {
  const judged = judge(wanted, pin, observed);
  const failed = judged.filter((guard) => !guard.passed);
  const first = (outcome: Judged["outcome"]) => failed.find((guard) => guard.outcome === outcome);
  const plan = quotaPlan(wanted, observed);

  const continues = (outcome: Outcome) => outcome === "resume" || outcome === "reseed";
  const takeoverOf = (outcome: Outcome) =>
    continues(outcome) ? takeoverIn(wanted, observed) : null;

  const as = <O extends Outcome>(outcome: O, reason: Reason, notices: Notice[] = []) => ({
    outcome,
    reason,
    verdicts: judged.map(verdict),
    notices: [
      ...takeoverNotices(takeoverOf(outcome), wanted),
      ...(outcome === "refuse" ? [] : quotaNotices(wanted, observed, plan)),
      ...notices,
    ],
    ...(takeoverOf(outcome) && { takeover: takeoverOf(outcome)! }),
    surface: wanted.policy.surface,
    mode: wanted.policy.mode,
    startupPrompt: startupPrompt(wanted.policy, outcome),
    runFolder: runFolder(wanted),
    ...(plan !== null && plan !== "fail" && { quota: plan }),
  });
  const refuse = (reason: Reason, error: ErrorView): Decision => ({
    ...as("refuse", reason),
    error,
  });

  if (observed.archived) return refuse("archived", archivedError(wanted));

  if (observed.folderGone) return refuse("folder", folderGoneError(wanted, pin));

  // Nothing that a new provider session is sent can be answered either.
  const limited = failed.find(({ guard }) => guard === "quota");
  if (limited?.error) return refuse("quota", limited.error);

  const empty = observed.slice.length + observed.slice.earlier === 0;
  const begins = pin === null && empty ? firstNotices(observed) : [];
  const [policy] = failed;
  if (policy?.guard === "policy" && policy.outcome === "blank")
    return as("blank", "policy", begins);

  const refusing = first("refuse");
  if (refusing?.error) return refuse(refusing.guard, refusing.error);

  const checkpoint = checkpointError(wanted, observed);
  if (checkpoint) return refuse("checkpoint", checkpoint);

  const reseeding = first("reseed");
  if (reseeding && reseeding.guard !== "policy" && wanted.rules.onResumeFailure === "fail" && pin)
    return refuse("resume-failure", resumeFailureError(wanted, reseeding));

  if (empty && wanted.policy.mustContinue && failed.length > 0)
    return refuse(reseeding?.guard ?? "prior", nothingToContinueError(wanted));

  if (reseeding && !(pin === null && empty)) {
    if (empty) return as("blank", reseeding.guard, [nothingLeftNotice(reseeding)]);
    const compact = compaction(wanted, pin, observed);
    const { history } = observed;
    const notices = [
      ...(importsNative(observed) ? nativeNotices(history) : []),
      ...lostNotices(pin, observed),
      ...compactNotices(compact, observed),
    ];
    return { ...as("reseed", reseeding.guard, notices), ...(compact && { compact }) };
  }

  if (pin === null) return as("blank", "prior", begins);

  const compact = observed.compacts ? compaction(wanted, pin, observed) : null;
  return {
    ...as("resume", "all-hold", resumeNotices(wanted, pin, observed, compact)),
    handle: judgedHandle(pin),
    prepare: [...preparations(observed.history), ...(compact ? (["compact"] as const) : [])],
    catchUp: continued(wanted, observed).length - givenNow(pin, observed.history).length,
    ...(compact && { compact }),
    ...((keepsUnconfirmed(observed.history) || pin.provisional) && { cutOff: true }),
    ...(pin.instructions === null && { instruct: true }),
    ...(instructionsChanged(wanted, pin) && { instructionsChanged: true }),
    keepsUnconfirmed: keepsUnconfirmed(observed.history),
  };
}

/** Whether what was added natively is imported: after a session was retired, only our own attempt added to it. */
export function importsNative({ retired }: Pick<Observed, "retired">): boolean {
  return retired === null;
}

/** Whether to compact the session: on request, over budget, or too long. */
function compaction({ rules }: Wanted, pin: Pin | null, observed: Observed): Compaction | null {
  if (observed.compaction) return observed.compaction;
  const { budget } = rules;
  const over = budget.over === "compact" && pin && excess(pin, budget, observed.now).length > 0;
  return over || observed.overflowed ? { focus: null } : null;
}

function preparations(history: HistoryState): Preparation[] {
  const undone = history.state === "unconfirmed" && !keepsUnconfirmed(history);
  const restore = history.state === "restorable" || undone;
  return [
    ...(restore ? (["restore"] as const) : []),
    ...(history.state === "forkable" ? (["fork"] as const) : []),
  ];
}

function runFolder({ policy }: Wanted): "run" | "source" {
  return policy.mode === "ephemeral" || policy.mode === "inherit_fresh" ? "run" : "source";
}

function takeoverNotices(takeover: Takeover | null, { switched }: Wanted): Notice[] {
  // The notice about the limit says it too.
  if (takeover === null || switched) return [];
  return [{ code: "takeover", text: `${takeoverText(takeover)}.` }];
}

/** How a used-up limit affects a turn that is not refused. */
function quotaNotices(
  { agent, provider, switched, now }: Wanted,
  { limit, now: at }: Observed,
  plan: ReturnType<typeof quotaPlan>,
): Notice[] {
  const usedUp = (until: number) => `limit is used up until ${new Date(until).toISOString()}`;
  const notices: (Notice | false | null | undefined)[] = [
    switched && {
      code: "quota-switch",
      text: `${speakerName({ agent, provider })} takes over from ${switched.from}, whose account's ${usedUp(switched.until)}.`,
    },
    now &&
      limit &&
      limit.until > at && {
        code: "quota-tried",
        text: `The account's ${usedUp(limit.until)}; the turn is tried anyway.`,
      },
    plan !== null &&
      plan !== "fail" && {
        code: "quota",
        text: `The account's ${usedUp(plan.until)}; the turn ${plan.action === "wait" ? "waits for the reset" : `goes to agent ${plan.agent}`}.`,
      },
  ];
  return notices.filter((notice) => notice != null && notice !== false);
}

function firstNotices({ purgedAt }: Observed): Notice[] {
  if (purgedAt === null) return [];
  const at = new Date(purgedAt).toISOString();
  return [{ code: "purged", text: `This key is new: its earlier session was purged on ${at}.` }];
}

export function versionNotice(before: string, now: string): Notice {
  return {
    code: "runtime-version",
    text: `The version of the agent's program changed from ${before} to ${now}.`,
  };
}

function resumeNotices(
  wanted: Wanted,
  pin: Pin,
  observed: Observed,
  compact: Compaction | null,
): Notice[] {
  const { history, runtime, now } = observed;
  const over = excess(pin, wanted.rules.budget, now);
  const notices: (Notice | false)[] = [
    history.state === "restorable" && {
      code: "restored",
      text: history.earlier
        ? `The provider's history was ${history.found} and the newest checkpoint is damaged; an earlier checkpoint was restored, and the agent is sent what came after it.`
        : `The provider's history was ${history.found}; it was restored from the checkpoint.`,
    },
    history.state === "forkable" && {
      code: "forked",
      text: `This session starts with the history of session ${pin.fork?.key}.`,
    },
    ...nativeNotices(history),
    history.state === "compacted" && {
      code: "compacted",
      text: "The provider compacted its own history since the last turn.",
    },
    pin.provisional !== undefined && {
      code: "provisional",
      text: "The first turn was cut off after a tool ran; its provider session is resumed, and the prompt says so.",
    },
    keepsUnconfirmed(history) && {
      code: "unconfirmed-kept",
      text: "The previous turn was not confirmed; what it did is kept in the provider's history.",
    },
    // After an overflow it is this turn that left it.
    history.state === "unconfirmed" &&
      !keepsUnconfirmed(history) &&
      !observed.overflowed && {
        code: "unconfirmed-undone",
        text: "The previous turn was not confirmed; the provider's history was restored to its state before that turn.",
      },
    pin.runtime.version !== runtime.version && versionNotice(pin.runtime.version, runtime.version),
    pin.model !== wanted.model && {
      code: "model",
      text: `The model changed from ${modelName(pin.model, pin.ran)} to ${modelName(wanted.model, pin.usual)}.`,
    },
    instructionsChanged(wanted, pin) && {
      code: "instructions",
      text: "The agent's instructions changed; this turn sends the new ones.",
    },
    over.length > 0 &&
      compact === null && { code: "over-budget", text: `Over budget: ${over.join(", ")}.` },
    compact !== null && {
      code: compactionCode,
      text: "The agent's own program compacts its session before it gets the prompt.",
    },
  ];
  return notices.filter((notice) => notice !== false);
}

function instructionsChanged({ instructions }: Wanted, pin: Pin): boolean {
  return pin.instructions !== null && pin.instructions !== instructions;
}

export const isNative = (code: string) => code === "native-turns" || code === "rewound";

/** What a person did in the provider's own program since the last turn. It is imported in any case. */
export function nativeNotices(history: HistoryState): Notice[] {
  if (history.state === "advanced")
    return [
      {
        code: "native-turns",
        text: `${history.items} items were added in the provider's own program; they are kept.`,
      },
    ];
  if (history.state !== "rewound") return [];
  const { takenBack, items } = history;
  const messages = `${takenBack} ${takenBack === 1 ? "message was" : "messages were"} taken back`;
  const added = `${items} ${items === 1 ? "item that was" : "items that were"} added there`;
  return [
    {
      code: "rewound",
      text: `The conversation was rewound in the provider's own program: ${messages}${items === 0 ? "." : `, and ${added} kept.`}`,
    },
  ];
}

/** A provider does not report lost history, so Reprise does, whatever else failed. */
function lostNotices(pin: Pin | null, { history }: Observed): Notice[] {
  if (history.state === "unforkable")
    return [
      {
        code: "fork-reseeded",
        text: `This session was forked from session ${pin?.fork?.key}, but ${unforkable[history.why]}; it starts from the transcript.`,
      },
    ];
  if (history.state !== "lost") return [];
  return [
    {
      code: "history-lost",
      text: `The provider's history was ${history.found} and could not be restored; the turn started again from the transcript.`,
    },
  ];
}

/** After an overflow, the attempt that it ended has already reported it. */
function compactNotices(compact: Compaction | null, { overflowed }: Observed): Notice[] {
  if (compact === null || overflowed) return [];
  return [
    {
      code: "summary",
      text: "The agent starts a new provider session that begins with a summary of the conversation.",
    },
  ];
}

const unforkable: Record<Extract<HistoryState, { state: "unforkable" }>["why"], string> = {
  unable: "its provider cannot fork at that point",
  "moved-on": "its provider forks only at the end, and that session has continued since",
  missing: "the provider's history of that session is missing",
  unreadable: "the provider's history of that session is unreadable",
  shorter: "the provider's history of that session is shorter than it was",
  altered: "the provider's history of that session was altered",
};

function nothingLeftNotice(guard: Judged): Notice {
  return {
    code: "nothing-left",
    text: `The agent starts without the earlier conversation: it could not be resumed (${guard.guard}: ${guard.current}), and there is no transcript to start again from.`,
  };
}

function archivedError({ key }: Wanted): ErrorView {
  return {
    code: "archived",
    message: `Session ${key} is archived.`,
    hint: `Revive it with ${verb("sessions.revive", key)}, or use another key.`,
  };
}

/** Comes before every other outcome: without its folder no agent can be started. */
function folderGoneError({ key, folder }: Wanted, pin: Pin | null): ErrorView {
  const move = `move the session with ${verb("sessions.move", { key, folder: slot("DIR") })}`;
  return {
    code: "folder-gone",
    message: `Session ${key} works in ${folder}, which does not exist or cannot be read.`,
    hint: pin
      ? `Bring the folder back, or ${move}.`
      : `Bring it back, or name another one with ${option("folder")}.`,
  };
}

function checkpointError({ key, policy }: Wanted, { history }: Observed): ErrorView | null {
  // A turn that asks for a new provider session does not need the checkpoint.
  if (history.state !== "lost" || policy.continuity !== "resume") return null;
  if (history.checkpoint === "newer")
    return {
      code: "checkpoint-newer",
      message: `The checkpoint of session ${key} was written by a newer version of Reprise.`,
      hint: `Use that version, or send with ${option("continuity", "reseed")} to start again from the transcript.`,
    };
  if (history.checkpoint === "foreign")
    return {
      code: "checkpoint-foreign",
      message: `The checkpoint of session ${key} belongs to another agent.`,
      hint: `Send with the agent that made it, or with ${option("continuity", "reseed")} to start again from the transcript.`,
    };
  return null;
}

function resumeFailureError({ key }: Wanted, guard: Judged): ErrorView {
  return {
    code: "resume-failure",
    message: `Session ${key} cannot be resumed (${guard.guard}: ${guard.stored} → ${guard.current}), and onResumeFailure is fail.`,
    hint: `Send with ${option("continuity", "reseed")} to start again from the transcript, or set onResumeFailure to reseed.`,
  };
}

function nothingToContinueError({ key }: Wanted): ErrorView {
  return {
    code: "nothing-to-continue",
    message: `Session ${key} has nothing to continue from, but the mode inherit_resume requires it.`,
    hint: "Send the agent a first turn, or use the mode inherit_fresh.",
  };
}

// Compaction by the agent's own program: a launch like any other, but without the turn's prompt. Afterwards
// the turn continues, with the shorter session or with a new one.

/** What the launch of a decision compacts; null when it sends the prompt. */
export function compactionOf(decision: Decision): Compaction | null {
  if (decision.outcome !== "resume" || !decision.prepare.includes("compact")) return null;
  return decision.compact ?? { focus: null };
}

/** Endings that say nothing about the session: the turn ends with them and can be sent again. */
const passing: readonly AttemptEnding[] = ["transient", "cancelled", "timed-out", "interrupted"];

/** The agent reported success. */
const answered: readonly AttemptEnding[] = ["confirmed", "ghost"];

export function classifyCompaction(
  evidence: AttemptEvidence,
  {
    summarised,
    overflowed,
  }: {
    /** The provider's history has a new summary; null if the provider has no readable history. */
    readonly summarised: boolean | null;
    /** The reason was a turn that did not fit into the model's context. */
    readonly overflowed: boolean;
  },
): AttemptResult {
  const found = classify({ ...evidence, compacts: false }, { silent: true });
  if (passing.includes(found.ending)) return found;
  const done = answered.includes(found.ending);
  if (done && summarised !== false)
    return {
      ending: "compacted",
      status: "again",
      pin: "advance",
      retire: null,
      strike: false,
      error: null,
      notice: null,
    };

  const said = evidence.seen.failure?.message ?? found.error?.message ?? "it asked a question";
  const why = done ? "its history has no summary" : clause(said);
  return {
    ending: done ? "failed" : found.ending,
    status: "again",
    pin: "residue",
    retire: found.retire ?? (overflowed ? "overflow: it could not be compacted" : null),
    strike: false,
    error: {
      code: "not-compacted",
      message: `The agent did not compact its session: ${why}.`,
      hint: "Nothing to do: the turn continued in a new session that begins with a summary.",
    },
    notice: null,
  };
}
