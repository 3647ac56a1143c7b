/** Gates whose deadline has passed are settled by whoever opens or serves the home; nobody's run is carried on by it. */

import type { Engine } from "../engine.ts";

const batch = 200;
/** After so many failures a deadline is parked: it is tried once a day. */
const patience = 5;
const firstPause = 5_000;
const day = 24 * 60 * 60 * 1000;

/** Gives the items whose deadline was parked now. */
export async function settleDeadlines({ store, owner, now }: Engine): Promise<string[]> {
  const claimer = `${owner.host}:${owner.pid}:${owner.start}`;
  const parked: string[] = [];
  for (;;) {
    const at = now();
    const claim = { owner: claimer, kind: "deadline", at, until: at, limit: batch };
    const due = await store.claimDue(claim);
    for (const { id, payload, failures } of due) {
      const { item } = payload as { item: string };
      const settled = await store.expireItem({ item, at }).then(
        () => true,
        () => false,
      );
      const isParked = !settled && failures + 1 >= patience;
      if (isParked) parked.push(item);
      const again = settled ? null : at + (isParked ? day : firstPause * 2 ** failures);
      await store.settleDue({ id, owner: claimer, again });
    }
    if (due.length < batch) return parked;
  }
}
