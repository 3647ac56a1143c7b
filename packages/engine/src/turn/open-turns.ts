/** Walks through open turns page by page, so that their number never matters to one call. */

import type { Turn } from "@reprise/core/session/turn";
import type { OpenTurnQuery } from "@reprise/store/contract/turns";
import type { Store } from "@reprise/store/store";
import type { Engine } from "../engine.ts";
import { absentOwners } from "../hosts.ts";

const page = 200;

type Wanted = Omit<OpenTurnQuery, "after" | "limit">;

/** Oldest first. */
export async function* openTurns(
  store: Pick<Store, "listOpenTurns">,
  wanted: Wanted = {},
): AsyncGenerator<Turn> {
  for (let after: Turn | undefined; ; ) {
    const turns = await store.listOpenTurns({ ...wanted, ...(after && { after }), limit: page });
    yield* turns;
    if (turns.length < page) return;
    after = turns.at(-1);
  }
}

/** Turns on which no process works, as far as can be seen from here; for each of them `isFree` decides. */
export async function* leftTurns(
  engine: Engine,
  wanted: Omit<Wanted, "leftBy"> = {},
): AsyncGenerator<Turn> {
  yield* openTurns(engine.store, { ...wanted, leftBy: await absentOwners(engine) });
}
