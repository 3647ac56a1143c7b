/**
 * Waits until this host may run one more agent, and records the launch in the same transaction, so that
 * two processes together never start more than allowed.
 */

import { setTimeout as delay } from "node:timers/promises";
import { FencedError } from "@reprise/core/errors/errors";
import { cancelledBy } from "@reprise/core/session/cancel-reason";
import type { Attempt, Turn } from "@reprise/core/session/turn";
import type { DecidedAttempt } from "@reprise/store/contract/turns";
import type { Store } from "@reprise/store/store";
import type { Engine } from "../engine.ts";
import { maxAgents } from "../limits.ts";
import type { RunTurnOptions } from "./run-turn.ts";

const pollInterval = 200;

type Launch = Parameters<Store["recordLaunch"]>[0];

/** The turn was cancelled before its agent was started. */
export class CancelledBefore extends Error {
  readonly by: string | null;
  constructor(by: string | null) {
    super("cancelled");
    this.by = by;
  }
}

/**
 * A turn opened inside another turn does not wait, because that turn may be waiting for it.
 * @throws CancelledBefore; @throws FencedError if it was left and is queued again.
 */
export async function recordWhenFree(
  engine: Engine,
  launch: Omit<Launch, "decided" | "limit" | "at">,
  decided: DecidedAttempt | null,
  nested: boolean,
  { signal, leave, onProgress }: RunTurnOptions,
): Promise<Attempt> {
  const max = maxAgents(engine);
  const limit = nested ? {} : { limit: { host: engine.hosts.place, max } };
  const waiting = { type: "limited", limit: "maxAgents", max } as const;
  const { turn, token } = launch;
  for (let poll = 1; ; poll += 1) {
    const first = poll === 1 && decided;
    const recording = { ...launch, ...limit, ...(first && { decided }), at: engine.now() };
    const attempt = await engine.store.recordLaunch(recording);
    if (attempt) return attempt;
    // A turn that waits shows what was decided.
    if (first)
      await engine.store.recordDecision({
        ...{ turn, token, number: launch.number, ...decided },
        durability: "buffered",
        at: engine.now(),
      });
    if (poll === 1) onProgress?.(waiting);
    // Only from the second poll on, so that a short wait leaves no event.
    if (poll === 2) await engine.store.recordWaiting({ turn, token, waiting, at: engine.now() });
    const wake = [signal, leave].filter((each) => each !== undefined);
    await delay(pollInterval, undefined, { signal: AbortSignal.any(wake) }).catch(() => {});
    if (signal?.aborted) throw new CancelledBefore(cancelledBy(signal));
    const cancelled = await engine.launcher.cancelled(turn);
    if (cancelled) throw new CancelledBefore(cancelled.by);
    if (!leave?.aborted) continue;
    await engine.store.requeueTurn({ turn, token });
    throw new FencedError(turn);
  }
}

/** It owns the session and is decided, but its agent is not started yet. */
export function isLimited({ status, attempts }: Turn): boolean {
  const attempt = attempts.at(-1);
  return status === "running" && attempt?.launch === null && attempt.ending === null;
}
