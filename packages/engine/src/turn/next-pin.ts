/**
 * The pin after an attempt. Only a confirmed turn advances it; a first turn that was cut off after a tool
 * ran makes a provisional one.
 */

import type { Message } from "@reprise/core/conversation/message";
import { chain, slice } from "@reprise/core/conversation/slice";
import type { AttemptResult } from "@reprise/core/session/classify";
import { contextOf, lastSummary } from "@reprise/core/session/history";
import type { Pin, Runtime } from "@reprise/core/session/pin";
import type { Turn } from "@reprise/core/session/turn";
import { inputTokens, type Usage } from "@reprise/core/usage/usage";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import { sha256 } from "../engine.ts";
import { compacts } from "./decide-attempt.ts";
import type { BoundAgent } from "./observe.ts";
import { buildsOnUnconfirmed, type ObservedAfter } from "./observe-after.ts";
import type { LaunchedAttempt } from "./settle.ts";
import type { WatchedAttempt } from "./watch.ts";

/** The advanced pin, or the old one marked with what the attempt left behind; null if unchanged. */
export function nextPin(ended: {
  readonly bound: BoundAgent;
  readonly record: Turn;
  readonly attempt: LaunchedAttempt;
  readonly found: AttemptResult;
  readonly seen: WatchedAttempt;
  /** The program that ran. */
  readonly runtime: Runtime;
  readonly usage: Usage | null;
  readonly facts: SessionFacts;
  readonly after: ObservedAfter;
  readonly messages: readonly Message[];
  readonly at: number;
}): Pin | null {
  const { attempt, found, seen, runtime, usage, messages, at } = ended;
  const { handle, history, end: grown, summarised } = ended.after;
  const { agent } = ended.bound;
  const { pin, outline } = ended.facts;
  const resumed = attempt.decision.outcome === "resume" ? pin : null;
  const kept = buildsOnUnconfirmed(attempt);
  const given = chain(
    slice([...outline, ...messages], agent.name).map((message) => message.digest),
    sha256,
  );

  if (found.ending === "compacted" && resumed) {
    const { fork: _, ...session } = resumed;
    return {
      ...session,
      given: (kept && session.residue?.given) || session.given,
      history: grown,
      ...contextOf(history, sha256),
      summary: history ? lastSummary(history) : null,
      residue: null,
      // The instructions at its beginning are part of the summary now.
      instructions: null,
      totals: history?.totals ?? seen.usage,
      strikes: 0,
      // Known again after the next turn.
      tokens: 0,
      bytes: history?.bytes ?? 0,
      confirmedAt: at,
    };
  }
  const provisional = found.pin === "provisional";
  if ((found.pin === "advance" || (provisional && grown)) && handle) {
    const { account, folder, model, instructions } = attempt.launch;
    return {
      handle,
      ...(provisional && { provisional: { turn: ended.record.id } }),
      provider: agent.provider,
      agent: agent.name,
      folder,
      runtime,
      ...(seen.version !== null && { reportedVersion: seen.version }),
      model,
      ...modelsOf(attempt, seen, resumed),
      account,
      instructions: summarised ? null : instructions,
      given,
      cursor: provisional ? null : (messages.at(-1)?.id ?? null),
      history: grown,
      ...contextOf(history, sha256),
      summary: history ? lastSummary(history) : null,
      residue: null,
      totals: seen.usage,
      strikes: 0,
      turns: provisional ? 0 : (resumed?.turns ?? 0) + 1,
      tokens: usage ? inputTokens(usage) : (resumed?.tokens ?? 0),
      bytes: history?.bytes ?? 0,
      startedAt: resumed?.startedAt ?? at,
      confirmedAt: at,
    };
  }
  if (resumed === null) return null;
  // A failed fork by command left its residue in an unknown session: the next turn forks again.
  const own = resumed.fork?.by === "command" ? null : grown;
  const left = own && resumed.history && own.length > resumed.history.length ? own : null;
  const tools = seen.tools || (kept && resumed.residue?.tools === true);
  return {
    ...resumed,
    strikes: resumed.strikes + (found.strike ? 1 : 0),
    residue: left
      ? {
          turn: ended.record.id,
          history: left,
          tools,
          given: compacts(attempt) ? resumed.given : given,
        }
      : resumed.residue,
  };
}

/** The model that it ran on, and the one it uses when none is named. */
function modelsOf(
  { launch: { model } }: LaunchedAttempt,
  seen: WatchedAttempt,
  resumed: Pin | null,
): Pick<Pin, "ran" | "usual"> {
  const ran = seen.model ?? undefined;
  const usual = model === null ? (ran ?? resumed?.usual) : resumed?.usual;
  return { ...(ran && { ran }), ...(usual && { usual }) };
}
