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
  for (let told = false; ; told = true) {
    if (await engine.store.recordLaunch({ ...launch, ...limit, at: engine.now() })) return;
    if (!told) onProgress?.({ type: "limited", limit: "maxAgents", most: max });
    const wake = [signal, leave].filter((each) => each !== undefined);
    await delay(pollInterval, undefined, { signal: AbortSignal.any(wake) }).catch(() => {});
    if (signal?.aborted) throw new CancelledBefore(cancelledBy());
    const cancelled = await engine.launcher.cancelled(launch.turn);
    if (cancelled) throw new CancelledBefore(cancelled.by);
    if (!leave?.aborted) continue;
    await engine.store.requeueTurn({ turn: launch.turn, token: launch.token });
    throw new FencedError(launch.turn);
  }
}

/** It has the session and is decided, but its agent was not started yet. */
export function isLimited({ status, attempts }: Turn): boolean {
  const attempt = attempts.at(-1);
  return status === "running" && attempt?.launch === null && attempt.ending === null;
}
