/**
 * The guards, in the order in which they give the reason. Each compares a stored value with the current one
 * and says which outcome follows if they differ. All are evaluated before every turn. If a value is unknown,
 * the guard passes and shows `unknown`.
 */

import type { ChainEnd, Measure } from "../conversation/slice.ts";
import type { ErrorView } from "../errors/errors.ts";
import { command, option } from "../errors/hint.ts";
import type { GuardName, HistoryState, Observed, Outcome, Verdict, Wanted } from "./decision.ts";
import { isKey, needsHomeSecret, type Pin } from "./pin.ts";
import { modelName } from "./policy.ts";
import { afterLimit, type QuotaPlan, quotaError } from "./quota.ts";
import { speakerName, type Takeover } from "./takeover.ts";

export interface GuardResult {
  readonly passed: boolean;
  readonly stored: string;
  readonly current: string;
  /** What follows if it fails. */
  readonly outcome: Exclude<Outcome, "resume">;
  readonly error?: ErrorView;
}

type Guard = (wanted: Wanted, pin: Pin | null, observed: Observed) => GuardResult;

const unknown = "unknown";

const guards: Record<GuardName, Guard> = {
  policy: ({ policy }) => ({
    passed: policy.continuity === "resume",
    stored: "resume",
    current: `${policy.continuity} (${policy.source}${policy.because ? `: ${policy.because}` : ""})`,
    outcome: policy.continuity === "blank" ? "blank" : "reseed",
  }),

  prior: (wanted, pin, observed) => {
    const messages = observed.slice.length + observed.slice.earlier;
    const taken = pin === null && messages > 0 ? takeoverIn(wanted, observed) : null;
    return {
      passed: pin !== null,
      stored: pin
        ? priorTurns(pin)
        : taken
          ? `${speakerName(taken.from)} answered last`
          : noPriorTurn(observed, messages),
      current: taken
        ? `${speakerName(taken.by)} takes over ${messages} messages`
        : `${messages} messages`,
      outcome: messages > 0 ? "reseed" : "blank",
    };
  },

  capability: (_, pin, { runtime }) => ({
    passed: runtime.abilities.includes("resume"),
    stored: pin ? abilities(pin.runtime.abilities) : unknown,
    current: abilities(runtime.abilities),
    outcome: "reseed",
  }),

  agent: (wanted, pin, observed) => {
    const { lastAgent, lastProvider } = observed;
    const owned = pin === null || (pin.agent === wanted.agent && pin.provider === wanted.provider);
    const last = lastAgent === null ? unknown : named(lastAgent, lastProvider);
    return {
      passed: owned && (answeredLast(wanted, observed) || wanted.rules.onAdvanced === "catch-up"),
      stored: owned ? last : named(pin.agent, pin.provider),
      current: named(wanted.agent, wanted.provider),
      outcome: "reseed",
    };
  },

  history: (wanted, pin, observed) => {
    const now = continued(wanted, observed);
    return {
      passed: pin === null || carries(now, pin, observed.history),
      stored: pin ? chainEnd(pin.given.length, pin.given.digest) : unknown,
      current: chainEnd(now.length, now.digest),
      outcome: "reseed",
    };
  },

  folder: (wanted, pin, { folderGone }) => {
    const judgement = compare(pin?.folder, wanted.folder, "reseed");
    if (!folderGone) return judgement;
    return { ...judgement, passed: false, current: `${wanted.folder} (gone)`, outcome: "refuse" };
  },

  runtime: (_, pin, { runtime }) => {
    const shrank =
      pin?.runtime.abilities.some((ability) => !runtime.abilities.includes(ability)) ?? false;
    return {
      passed:
        pin === null ||
        (pin.runtime.product === runtime.product && pin.runtime.home === runtime.home && !shrank),
      stored: pin ? program(pin.runtime) : unknown,
      current: program(runtime),
      outcome: "reseed",
    };
  },

  model: (wanted, pin, { runtime }) => {
    const strict =
      wanted.rules.onModelChange === "reseed" || !runtime.abilities.includes("model-on-resume");
    return {
      passed: pin === null || pin.model === wanted.model || !strict,
      stored: pin ? modelName(pin.model, pin.ran) : unknown,
      current: modelName(wanted.model, pin?.usual),
      outcome: "reseed",
    };
  },

  account: (wanted, pin, { account: now, accountBefore: before }) => {
    const rule = wanted.rules.acrossAccounts;
    const account = before != null && before === pin?.account ? before : now;
    const judgement = compare(pin?.account, account, rule === "refuse" ? "refuse" : "reseed");
    if (rule === "resume") return { ...judgement, passed: true };
    return rule === "refuse"
      ? { ...judgement, error: otherAccount(wanted, pin?.account, account) }
      : judgement;
  },

  quota: (wanted, _, observed) => {
    const limit = observed.limit ?? null;
    const known = observed.account !== null;
    if (limit === null || limit.until <= observed.now)
      return {
        passed: true,
        stored: known ? "not used up" : unknown,
        current: limit ? `reset ${time(limit.until)}` : known ? "not used up" : unknown,
        outcome: "refuse",
      };
    const plan = quotaPlan(wanted, observed);
    return {
      passed: plan !== "fail",
      stored: `used up until ${time(limit.until)} (turn ${limit.turn.slice(0, 8)}, ${limit.agent})`,
      current: plan === "fail" ? time(observed.now) : planText[plan === null ? "try" : plan.action],
      outcome: "refuse",
      ...(plan === "fail" && { error: quotaError(limit, situation(wanted, observed)) }),
    };
  },

  instructions: (wanted, pin) => {
    const judgement = compare(pin?.instructions, wanted.instructions, "reseed");
    return wanted.rules.onInstructionsChange === "reseed"
      ? judgement
      : { ...judgement, passed: true };
  },

  intact: ({ policy }, pin, { history }) => {
    // A turn that asks for a new provider session does not need what could not be read.
    const refuses = history.state === "unread" && policy.continuity === "resume";
    return {
      passed: !["lost", "unforkable", "unread"].includes(history.state),
      stored: pin?.history ? chainEnd(pin.history.length, pin.history.digest) : unknown,
      current: historyState(history),
      outcome: refuses ? "refuse" : "reseed",
      ...(refuses && { error: history.error }),
    };
  },

  healthy: (wanted, pin, { retired, overflowed, compacts }) => {
    const strikes = pin?.strikes ?? 0;
    const { maxStrikes } = wanted.rules;
    const tooLong = overflowed === true && compacts !== true;
    const now = tooLong ? "too long for the model" : `${strikes} strikes`;
    return {
      passed: retired === null && strikes < maxStrikes && !tooLong,
      stored: `at most ${maxStrikes - 1} strikes`,
      current: retired === null ? now : `retired: ${retired}`,
      outcome: "reseed",
    };
  },

  budget: (wanted, pin, { now, compacts }) => {
    const { budget } = wanted.rules;
    const over = pin ? excess(pin, budget, now) : [];
    // Compaction shortens only the context, not the age of the provider session or the size of its files.
    const helps = compacts && pin && excess(pin, { ...budget, maxTokens: null }, now).length === 0;
    const stops = budget.over !== "warn" && !(budget.over === "compact" && helps);
    // A turn that asks for a new provider session already does what the refusal would suggest.
    const refuse = budget.over === "refuse" && wanted.policy.continuity === "resume";
    return {
      passed: over.length === 0 || !stops,
      stored: limits(budget),
      current: over.length === 0 ? "within" : over.join(", "),
      outcome: refuse ? "refuse" : "reseed",
      ...(refuse && {
        error: {
          code: "over-budget",
          message: `Session ${wanted.key} is over its budget: ${over.join(", ")}.`,
          hint: `Send with ${option("continuity", "reseed")} or ${option("continuity", "blank")}, or raise the session's budget.`,
        },
      }),
    };
  },
};

export interface Judged extends GuardResult {
  readonly guard: GuardName;
}

export function judge(wanted: Wanted, pin: Pin | null, observed: Observed): readonly Judged[] {
  return (Object.keys(guards) as GuardName[]).map((guard) => ({
    guard,
    ...guards[guard](wanted, pin, observed),
  }));
}

export function verdict({ guard, passed, stored, current }: Judged): Verdict {
  return { guard, passed, stored, current };
}

/** What follows from a used-up limit; null if there is none, or the turn is tried anyway. */
export function quotaPlan(wanted: Wanted, observed: Observed): QuotaPlan | "fail" | null {
  const { limit, now } = observed;
  if (!limit || limit.until <= now || wanted.now) return null;
  return afterLimit(limit.until, situation(wanted, observed));
}

function situation({ agent, rules, switched }: Wanted, { now }: Observed) {
  return { agent, now, rules: rules.quota, switched: switched ?? null };
}

const planText = {
  try: "tried anyway (now)",
  wait: "waits for the reset (onQuota)",
  switch: "goes to another agent (onQuota)",
};

/** The slice to compare with: under `catch-up`, other agents may have answered since. */
export function continued(
  { rules }: Pick<Wanted, "rules">,
  { slice }: Pick<Observed, "slice">,
): Measure {
  return (rules.onAdvanced === "catch-up" && slice.overtaken) || slice;
}

/** An unconfirmed turn stays in the provider's history if a tool ran in it or no checkpoint can undo it. */
export function keepsUnconfirmed(history: HistoryState): boolean {
  if (history.state === "restorable") return history.unconfirmed === true;
  return history.state === "unconfirmed" && (history.tools || !history.restorable);
}

/** How much of the slice the provider session has: a kept residue counts, a restored one does not. */
export function givenNow(pin: Pin, history: HistoryState): ChainEnd {
  return keepsUnconfirmed(history) && pin.residue ? pin.residue.given : pin.given;
}

function carries(now: Measure, pin: Pin, history: HistoryState): boolean {
  const given = givenNow(pin, history);
  const sameEnd = now.length !== given.length || now.digest === given.digest;
  return now.prefix === pin.given.digest && now.length >= given.length && sameEnd;
}

/** Whether the provider can compact a session in this state: it exists, and no prompt in it will be sent again. */
export function compactable(history: HistoryState, overflowed: boolean): boolean {
  switch (history.state) {
    case "lost":
    case "unread":
    case "forkable":
    case "unforkable":
      return false;
    case "unknown":
      return !overflowed;
    case "unconfirmed":
      return !overflowed || !keepsUnconfirmed(history);
    default:
      return true;
  }
}

/** Which limits are exceeded, for people. */
export function excess(pin: Pin, budget: Wanted["rules"]["budget"], now: number): string[] {
  const { maxAge, maxBytes, maxTokens } = budget;
  const age = now - pin.startedAt;
  return [
    ...(maxAge !== null && age > maxAge ? [`age ${seconds(age)} > ${seconds(maxAge)}`] : []),
    ...(maxBytes !== null && pin.bytes > maxBytes ? [`size ${pin.bytes} > ${maxBytes} bytes`] : []),
    ...(maxTokens !== null && pin.tokens > maxTokens
      ? [`context ${pin.tokens} > ${maxTokens} tokens`]
      : []),
  ];
}

/** Only a digest of an API key is kept, so a new key of the same account looks like another account. */
function otherAccount(
  { key, provider }: Wanted,
  stored: string | null | undefined,
  current: string | null,
): ErrorView {
  const perhaps = needsHomeSecret(stored) ? ', or the file "secret" of the home was replaced' : "";
  return isKey(stored) && isKey(current)
    ? {
        code: "other-account",
        message: `Session ${key} was used with another API key of ${provider}${perhaps}.`,
        hint: `If it is the same account, set acrossAccounts to resume: ${command("config set", "acrossAccounts", "resume")}. Otherwise use that key, or set it to reseed to send the transcript to the new account.`,
      }
    : {
        code: "other-account",
        message: `Session ${key} belongs to another account of ${provider}.`,
        hint: "Log in with that account, or set acrossAccounts to reseed to send the transcript to the new account.",
      };
}

function compare(
  stored: string | null | undefined,
  current: string | null,
  outcome: "reseed" | "refuse",
): GuardResult {
  const known = stored != null && current !== null;
  return {
    passed: !known || stored === current,
    stored: stored ?? unknown,
    current: current ?? unknown,
    outcome,
  };
}

function limits({ maxAge, maxBytes, maxTokens }: Wanted["rules"]["budget"]): string {
  const set = [
    ...(maxAge === null ? [] : [`age ${seconds(maxAge)}`]),
    ...(maxBytes === null ? [] : [`size ${maxBytes} bytes`]),
    ...(maxTokens === null ? [] : [`context ${maxTokens} tokens`]),
  ];
  return set.length === 0 ? "no limit" : set.join(", ");
}

function historyState(history: HistoryState): string {
  switch (history.state) {
    case "advanced":
      return `advanced by ${history.items}`;
    case "rewound":
      return `rewound to item ${history.kept}, ${history.items} new`;
    case "unread":
      return `not read (${history.error.message})`;
    case "unconfirmed":
      if (history.tools) return "unconfirmed turn kept, a tool ran";
      return history.restorable ? "unconfirmed turn undone" : "unconfirmed turn kept";
    case "restorable":
      return `restorable (${history.found}${history.earlier ? ", from an earlier checkpoint" : ""})`;
    case "forkable":
      return "to be forked";
    case "unforkable":
      return `cannot be forked (${history.why})`;
    case "lost":
      return `lost (${history.found}, checkpoint ${history.checkpoint})`;
    default:
      return history.state;
  }
}

function answeredLast(wanted: Wanted, { lastAgent, lastProvider }: Observed): boolean {
  return (
    (lastAgent === null || lastAgent === wanted.agent) &&
    (lastProvider === null || lastProvider === wanted.provider)
  );
}

/** Null unless another agent gave the last answer, or another provider did under this agent's name. */
export function takeoverIn(wanted: Wanted, observed: Observed): Takeover | null {
  const { lastAgent, lastProvider } = observed;
  if (lastAgent === null || answeredLast(wanted, observed)) return null;
  return {
    by: { agent: wanted.agent, provider: wanted.provider },
    from: { agent: lastAgent, provider: lastProvider },
  };
}

function noPriorTurn({ purgedAt }: Observed, messages: number): string {
  if (messages > 0) return "no provider session";
  return purgedAt === null ? "none" : `none, purged ${new Date(purgedAt).toISOString()}`;
}

function priorTurns({ turns, provisional }: Pin): string {
  if (provisional) return "provisional: its first turn was cut off after a tool ran";
  return `${turns} confirmed ${turns === 1 ? "turn" : "turns"}`;
}

const abilities = (list: readonly string[]) => (list.length === 0 ? "none" : list.join(", "));
const chainEnd = (length: number, digest: string) =>
  `${length} items ${digest.slice(0, 12)}`.trim();
const named = (agent: string, provider: string | null) => `${agent} (${provider ?? unknown})`;
const program = ({ product, home, version }: Pin["runtime"]) => `${product} ${version} in ${home}`;
const time = (at: number) => new Date(at).toISOString();
const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
