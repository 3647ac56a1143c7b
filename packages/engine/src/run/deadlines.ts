/** Gates whose deadline has passed are settled by whoever opens or serves the home; nobody's run is carried on by it. */

import type { InboxItem } from "@reprise/core/workflow/inbox-item";
import type { Engine } from "../engine.ts";

const batch = 200;
/** After so many failures a deadline is parked: it is tried once a day. */
const maxFailures = 5;
const firstPause = 5_000;
const day = 24 * 60 * 60 * 1000;

/** So long a claim of a process that died keeps others from settling; what is later than that, failed. */
const grace = 2 * 60_000;
const maxItems = 1000;

export interface ParkedDeadline {
  readonly item: string;
  readonly error: string;
}

/** Gives the items whose deadline was parked now. */
export async function settleDeadlines({ store, owner, now }: Engine): Promise<ParkedDeadline[]> {
  const claimer = `${owner.host}:${owner.pid}:${owner.start}`;
  const parked: ParkedDeadline[] = [];
  for (;;) {
    const at = now();
    const claim = { owner: claimer, kind: "deadline", at, until: at, limit: batch };
    const due = await store.claimDue(claim);
    for (const { id, payload, failures } of due) {
      const { item } = payload as { item: string };
      const error = await store.expireItem({ item, at }).then(
        () => null,
        (failure) => String(failure),
      );
      const isParked = error !== null && failures + 1 >= maxFailures;
      if (isParked) parked.push({ item, error });
      const again = error === null ? null : at + (isParked ? day : firstPause * 2 ** failures);
      await store.settleDue({ id, owner: claimer, again });
    }
    if (due.length < batch) return parked;
  }
}

/** Open items whose deadline passed long enough ago that somebody must have tried to settle it, and could not. */
export function unsettledItems({ store, now }: Engine): Promise<InboxItem[]> {
  return store.listItems({ overdueAt: now() - grace, limit: maxItems });
}
