/** Carries out what was decided about a used-up limit: waits for its reset, or gives the turn to another agent. */

import { FencedError, UsageError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import { lower } from "@reprise/core/session/access";
import { cancelledBy } from "@reprise/core/session/cancel-reason";
import type { QuotaPlan } from "@reprise/core/session/quota";
import type { Turn, TurnRequest } from "@reprise/core/session/turn";
import { nextChange } from "../changes.ts";
import type { Engine } from "../engine.ts";
import { checkAccess, effectiveAccess } from "./access.ts";
import type { PreparedAttempt } from "./decide-attempt.ts";
import { CancelledBefore } from "./launch.ts";
import { accountLimit, type BoundAgent, bindAgent } from "./observe.ts";
import type { ClaimedTurn, RunTurnOptions } from "./run-turn.ts";

/** Until when the turn waits for the reset of a limit; null if it does not. */
export function waitsUntil({ status, attempts }: Pick<Turn, "status" | "attempts">): number | null {
  const attempt = attempts.at(-1);
  const decided = attempt?.launch === null && attempt.ending === null ? attempt.decision : null;
  const waits = (status === "running" || status === "queued") && decided?.quota?.action === "wait";
  return waits ? decided.quota.until : null;
}

/** In milliseconds: another process may cancel the turn, and a success may end the limit. */
const pause = { atLeast: 250, atMost: 1000 };
const pauseBefore = (left: number) => ({
  atLeast: Math.min(pause.atLeast, left),
  atMost: Math.min(pause.atMost, left),
});
const subject = "for the reset of a limit";

/**
 * Waits until the limit is reset, or a success of the account ends it. It holds the session meanwhile, like a turn
 * that waits for a free agent.
 * @throws CancelledBefore; @throws FencedError if it was left and is queued again.
 */
export async function untilReset(
  engine: Engine,
  { turn, token }: ClaimedTurn,
  number: number,
  { decided, context }: PreparedAttempt,
  { until }: Extract<QuotaPlan, { action: "wait" }>,
  { signal, leave, onProgress, orphaned }: RunTurnOptions,
): Promise<void> {
  const { store } = engine;
  const waiting = { type: "limited", limit: "quota", until } as const;
  if (decided) await store.recordDecision({ turn, token, number, ...decided, at: engine.now() });
  onProgress?.(waiting);
  await store.recordWaiting({ turn, token, waiting, at: engine.now() });
  const over = AbortSignal.any([signal, leave].filter((each) => each !== undefined));
  // A process that only settles what another one left must not wait here.
  for (let mark = 0; !orphaned && !over.aborted && engine.now() < until; ) {
    const next = await nextChange(store, mark, {
      ...pauseBefore(until - engine.now()),
      signal: over,
    });
    if (next === mark) continue;
    mark = next;
    // A cancel takes it over: nothing is running that could be ended.
    if ((await store.readTurn(turn))?.token !== token) throw new FencedError(turn);
    const limits = await store.listLimits({ at: engine.now() });
    if (accountLimit(limits, context.agent.provider, context.probe)?.until !== until) return;
  }
  if (signal?.aborted) throw new CancelledBefore(cancelledBy(signal), subject);
  if (!leave?.aborted && !orphaned) return;
  await store.requeueTurn({ turn, token });
  throw new FencedError(turn);
}

/**
 * Gives the turn to another agent, which takes its place in the session. It never works with more access than the turn
 * had.
 * @throws FencedError if the other agent's provider session is in use: the turn is queued again.
 */
export async function switchAgent(
  engine: Engine,
  { record, turn, token }: ClaimedTurn,
  bound: BoundAgent,
  { agent: name, until }: Extract<QuotaPlan, { action: "switch" }>,
): Promise<ClaimedTurn> {
  const { model: _, settings: __, ...request } = record.request;
  const agent = await engine.store.readAgent(name);
  if (agent === null)
    throw new UsageError(
      "no-quota-agent",
      `The limit of the account of agent ${bound.agent.name} is used up until ${new Date(until).toISOString()}, and there is no agent ${name} (quotaAgent).`,
      `Create it with ${verb("agents.create", { name, provider: slot("NAME") })}, or set quotaAgent to another one.`,
    );
  const had = request.access ?? effectiveAccess(engine, bound.agent);
  const to: TurnRequest = {
    ...request,
    agent: name,
    model: null,
    access: lower(had, effectiveAccess(engine, agent)),
    switched: { from: bound.agent.name, until },
  };
  checkAccess(engine, bindAgent(engine, agent, to), to);
  const at = engine.now();
  await engine.store.requeueTurn({
    turn,
    token,
    to: { request: to, provider: agent.provider, at },
  });
  const claim = await engine.store.claimTurn({ turn, owner: engine.owner, at });
  if (!claim.granted) throw new FencedError(turn);
  return { turn, token: claim.token, record: claim.turn, agent: claim.agent, facts: claim.facts };
}
