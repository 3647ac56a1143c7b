/**
 * Waits until one more agent may work on this host, and records the launch in the same step, so that two
 * processes never start more together than are allowed.
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

/** It was cancelled before it could begin. */
export class CancelledBefore extends Error {
  readonly by: string | null;
  constructor(by: string | null) {
    super("cancelled");
    this.by = by;
  }
}

/**
 * A turn that was opened inside another turn does not wait: that turn may be waiting for it.
 * @throws CancelledBefore; @throws FencedError when it was left, and is queued again.
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
  for (let look = 1; ; look += 1) {
    if (await engine.store.recordLaunch({ ...launch, ...limit, at: engine.now() })) return;
    if (look === 1) onProgress?.(waiting);
    // At the second look, so that a short wait leaves no event.
    if (look === 2) await engine.store.recordWaiting({ turn, token, waiting, at: engine.now() });
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

/** It has the session and is decided, but its agent was not started yet. */
export function isLimited({ status, attempts }: Turn): boolean {
  const attempt = attempts.at(-1);
  return status === "running" && attempt?.launch === null && attempt.ending === null;
}
