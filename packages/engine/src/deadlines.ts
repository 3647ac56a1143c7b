/**
 * Expires gates whose deadline has passed. Every process that opens or serves the home does it; the run itself is not
 * driven here.
 */

import type { Store } from "@reprise/store/store";
import type { InboxItem } from "@reprise/workflow/inbox-item";
import type { Engine } from "./engine.ts";

const batch = 200;
/** After this many failures a deadline is parked: it is retried once a day. */
const maxFailures = 5;
const firstPause = 5_000;
const day = 24 * 60 * 60 * 1000;

/**
 * A dead process's claim blocks others for up to a minute, so a deadline that is overdue for longer than
 * this could not be settled.
 */
const grace = 2 * 60_000;
const maxItems = 1000;

interface ParkedDeadline {
  readonly item: string;
  readonly error: string;
}

/** Returns the items whose deadline was parked by this call. */
export async function settleDeadlines({ store, owner, now }: Engine): Promise<ParkedDeadline[]> {
  const claimer = `${owner.host}:${owner.pid}:${owner.start}`;
  const parked: ParkedDeadline[] = [];
  for (;;) {
    const at = now();
    const claim = { owner: claimer, kind: "deadline", limit: batch };
    const due = await store.claimDue(claim);
    for (const { id, payload, failures } of due) {
      const { item } = payload as { item: string };
      const error = await store.expireItem({ item }).then(
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

/** Open items whose deadline passed so long ago that settling it must have failed. */
export function unsettledItems({
  store,
  now,
}: { readonly store: Pick<Store, "listItems"> } & Pick<Engine, "now">): Promise<InboxItem[]> {
  return store.listItems({ overdueAt: now() - grace, limit: maxItems });
}
