/**
 * A store behind an unreliable transport: calls are delivered twice, one after the other or at once, and a due
 * row is claimed by another owner after the first claim has expired. With a store that fulfils the contract,
 * the only visible effect is repeated claims.
 */

import type { Store } from "../store.ts";
import { clock } from "./fixture.ts";
import { randomFrom } from "./random.ts";

export interface Chaos {
  /** The probability that a call is delivered twice, from 0 to 1. */
  readonly duplicates: number;
  /** The probability that a claim of a due row passes to another owner. */
  readonly overlaps: number;
}

const mutating: ReadonlySet<string> = new Set<keyof Store>([
  "createAgent",
  "setAgent",
  "createClass",
  "setClass",
  "compactSession",
  "purgeSession",
  "createSession",
  "movePin",
  "holdSession",
  "releaseSession",
  "archiveSession",
  "reviveSession",
  "setSession",
  "openTurn",
  "beginTurn",
  "reopenTurn",
  "claimTurn",
  "takeOver",
  "recordDecision",
  "recordLaunch",
  "takeSlot",
  "freeSlot",
  "endAttempt",
  "importMessages",
  "recordRestore",
  "finishTurn",
  "answerTurn",
  "writeProbe",
  "appendEvents",
  "recordEvent",
  "settleDue",
  "createRun",
  "takeRun",
  "advanceRun",
  "advanceRunBuffered",
  "recordRunFailure",
  "answerItem",
  "expireItem",
  "createToken",
  "useToken",
  "rotateToken",
  "revokeToken",
  "beginCall",
  "acceptCall",
  "settleCall",
  "dropCall",
  "createWebhook",
  "removeWebhook",
  "queueDeliveries",
  "settleDelivery",
  "replayDelivery",
  "setProtection",
  "recordScan",
  "keepBytes",
  "keepSessions",
  "markKept",
  "forgetKept",
]);

/** The caller has the answer of the delivery that changed something, whichever of the two that was. */
function tookEffect(delivery: PromiseSettledResult<unknown>): boolean {
  if (delivery.status === "rejected" || delivery.value === null || delivery.value === false)
    return false;
  const answer = Object(delivery.value) as Record<string, unknown>;
  return ["granted", "given", "begun", "token", "facts"].every(
    (field) => !(field in answer) || (answer[field] !== false && answer[field] !== null),
  );
}

/** A little more than the minute of the contract. */
const claimIsOver = 60_001;

export function chaotic(
  store: Store,
  seed: number,
  { duplicates, overlaps }: Chaos = { duplicates: 0.5, overlaps: 0.3 },
): Store {
  const random = randomFrom(seed);

  const twice = async (call: () => Promise<unknown>): Promise<unknown> => {
    if (random() >= duplicates) return call();
    if (random() < 0.5) {
      const [one, other] = await Promise.allSettled([call(), call()]);
      const answer = tookEffect(one) ? one : tookEffect(other) ? other : one;
      if (answer.status === "rejected") throw answer.reason;
      return answer.value;
    }
    try {
      return await call();
    } finally {
      // The caller already has the answer of the first delivery.
      await call().catch(() => {});
    }
  };

  const claimDue: Store["claimDue"] = async (claim) => {
    const rows = await store.claimDue(claim);
    if (random() < overlaps) {
      const before = clock.now;
      clock.now += claimIsOver;
      await store.claimDue({ ...claim, owner: "another" });
      clock.now = before;
    }
    return rows;
  };

  return new Proxy(store, {
    get(target, name) {
      if (name === "claimDue") return claimDue;
      const verb = Reflect.get(target, name);
      if (typeof name !== "string" || !mutating.has(name)) return verb;
      return (...input: unknown[]) => twice(() => verb.apply(target, input));
    },
  });
}
