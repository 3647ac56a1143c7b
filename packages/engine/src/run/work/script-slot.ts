/** A slot for one of the scripts that may run at once on this host, across all processes of the home. */

import { setTimeout as delay } from "node:timers/promises";
import { maxScripts } from "../../turn/launch.ts";
import type { WorkContext } from "./work.ts";

const pollInterval = 200;
/** Every Nth poll, free the slots of scripts whose process died before it could. */
const sweepEvery = 5;
/** A script with a slot is started within this time, in milliseconds. */
const maxStartTime = 10_000;

/** Returns false if it was cancelled meanwhile. @throws the reason of `leave` */
export async function takeScriptSlot(
  { engine, signal, leave, within }: WorkContext,
  id: string,
): Promise<boolean> {
  const { store, hosts, now } = engine;
  // A run that was started inside a turn does not wait, because that turn may be waiting for it.
  const max = within === null ? maxScripts(engine) : Number.MAX_SAFE_INTEGER;
  for (let poll = 1; ; poll += 1) {
    if (await store.takeSlot({ id, host: hosts.place, max, at: now() })) return true;
    if (poll % sweepEvery === 1) await freeGone(engine);
    const wake = AbortSignal.any([signal, leave]);
    await delay(pollInterval, undefined, { signal: wake }).catch(() => {});
    leave.throwIfAborted();
    if (signal.aborted) return false;
  }
}

async function freeGone({ store, hosts, launcher, now }: WorkContext["engine"]): Promise<void> {
  for (const { id, at } of await store.listSlots(hosts.place)) {
    const state = await launcher.state({ turn: id, attempt: 1 });
    const starts = (state === "absent" || state === "unstarted") && now() - at < maxStartTime;
    if (state !== "running" && !starts) await store.freeSlot(id);
  }
}
