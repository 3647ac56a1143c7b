/**
 * What a turn does while the limit of its account is used up: it is refused, waits for the reset, goes to another
 * agent, or is tried anyway. Pure; the store remembers the limits, and the engine waits or hands over.
 */

import type { ErrorView } from "../errors/errors.ts";
import { option } from "../errors/hint.ts";
import { formatDuration } from "../text/duration.ts";

export const onQuotaChoices = ["fail", "wait", "switch"] as const;
type OnQuota = (typeof onQuotaChoices)[number];

/** The limit of an account, as a turn found it used up. */
export interface AccountLimit {
  readonly provider: string;
  /** As pins name it. */
  readonly account: string;
  /** When it is reset, as the provider said. */
  readonly until: number;
  /** The turn that found it, and its agent. */
  readonly turn: string;
  readonly agent: string;
  readonly at: number;
}

/** The settings of these names. */
export interface QuotaRules {
  readonly onQuota: OnQuota;
  /** A reset that is further away is not waited for, in milliseconds. */
  readonly quotaWait: number;
  /** The agent to switch to. */
  readonly quotaAgent: string | null;
}

/** What a decision that is not a refusal still waits for, or where the turn goes instead. */
export type QuotaPlan =
  | { readonly action: "wait"; readonly until: number }
  | { readonly action: "switch"; readonly agent: string; readonly until: number };

/** A turn that was handed over to its agent, because the account of another one was used up. */
export interface SwitchedTurn {
  readonly from: string;
  readonly until: number;
}

interface Situation {
  readonly agent: string;
  readonly now: number;
  readonly rules: QuotaRules;
  /** A turn is handed over once. */
  readonly switched: SwitchedTurn | null;
}

/** What follows from a limit that is reset at `until`; `fail` if the rules do not say more. */
export function afterLimit(
  until: number,
  { agent, now, rules, switched }: Situation,
): QuotaPlan | "fail" {
  const { onQuota, quotaWait, quotaAgent } = rules;
  if (onQuota === "wait" && until - now <= quotaWait) return { action: "wait", until };
  const another = quotaAgent !== null && quotaAgent !== agent && switched === null;
  if (onQuota === "switch" && another) return { action: "switch", agent: quotaAgent, until };
  return "fail";
}

/** Nothing was launched. */
export function quotaError(limit: AccountLimit, situation: Situation): ErrorView {
  const until = new Date(limit.until).toISOString();
  const { agent, provider, turn } = { ...limit, agent: situation.agent };
  return {
    code: "quota",
    message: `The limit of the account of agent ${agent} (${provider}) is used up until ${until}, as turn ${turn.slice(0, 8)} of agent ${limit.agent} found${unmet(limit, situation)}.`,
    hint: `Send again then, or with another agent, or try anyway with ${option("now")}; the session is kept.`,
    resetAt: limit.until,
  };
}

/** Why the rules did not help. */
function unmet({ until }: AccountLimit, { agent, now, rules, switched }: Situation): string {
  const { onQuota, quotaWait, quotaAgent } = rules;
  switch (onQuota) {
    case "fail":
      return "";
    case "wait":
      return until - now > quotaWait
        ? `; onQuota is wait, but the reset is further away than quotaWait (${formatDuration(quotaWait)})`
        : "";
    case "switch":
      if (switched !== null)
        return `; the turn came from agent ${switched.from} for the same reason`;
      if (quotaAgent === agent) return "; onQuota is switch, and quotaAgent is this agent";
      return "; onQuota is switch, but quotaAgent names no agent";
  }
}
