/**
 * Waits until this host may run one more agent, and records the launch in the same transaction, so that
 * two processes together never start more than allowed.
 */

import { setTimeout as delay } from "node:timers/promises";
import { FencedError } from "@reprise/core/errors/errors";
import type { Turn } from "@reprise/core/session/turn";
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
  launch: Omit<Launch, "limit" | "at">,
  nested: boolean,
  { signal, leave, onProgress, cancelledBy }: RunTurnOptions & { cancelledBy(): string | null },
): Promise<void> {
  const max = maxAgents(engine);
  const limit = nested ? {} : { limit: { host: engine.hosts.place, max } };
  const waiting = { type: "limited", limit: "maxAgents", max } as const;
  const { turn, token } = launch;
  for (let poll = 1; ; poll += 1) {
    if (await engine.store.recordLaunch({ ...launch, ...limit, at: engine.now() })) return;
    if (poll === 1) onProgress?.(waiting);
    // Only from the second poll on, so that a short wait leaves no event.
    if (poll === 2) await engine.store.recordWaiting({ turn, token, waiting, at: engine.now() });
    const wake = [signal, leave].filter((each) => each !== undefined);
    await delay(pollInterval, undefined, { signal: AbortSignal.any(wake) }).catch(() => {});
    if (signal?.aborted) throw new CancelledBefore(cancelledBy());
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
