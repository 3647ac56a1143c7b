/** Gates whose deadline has passed are settled by whoever opens the home; nobody's run is carried on by it. */

import type { Engine } from "../engine.ts";

const batch = 200;

export async function settleDeadlines({ store, owner, now }: Engine): Promise<void> {
  const claimer = `${owner.host}:${owner.pid}:${owner.start}`;
  for (;;) {
    const at = now();
    const due = await store.claimDue({ owner: claimer, at, until: at, limit: batch });
    for (const { id, payload } of due) {
      const { item } = payload as { item: string };
      await store.expireItem({ item, at });
      await store.settleDue({ id, owner: claimer, again: null });
    }
    if (due.length < batch) return;
  }
}
