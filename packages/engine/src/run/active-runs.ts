/** Walks through active runs page by page, so that their number never matters to one call. */

import type { ProcessIdentity } from "@reprise/core/session/turn";
import type { Run } from "@reprise/store/contract/runs";
import type { Store } from "@reprise/store/store";

const page = 200;

/** Oldest first; with `leftBy`, only those without an owner or owned by one of these processes. */
export async function* activeRuns(
  store: Pick<Store, "listActiveRuns">,
  wanted: { readonly leftBy?: readonly ProcessIdentity[] } = {},
): AsyncGenerator<Run> {
  for (let after: Run | undefined; ; ) {
    const runs = await store.listActiveRuns({ ...wanted, ...(after && { after }), limit: page });
    yield* runs;
    if (runs.length < page) return;
    after = runs.at(-1);
  }
}
