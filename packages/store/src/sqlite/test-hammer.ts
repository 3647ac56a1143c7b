/**
 * Test process for several processes on one file: runs turns on shared keys as fast as it can. While it owns
 * a key it holds a lock file, which no other process may hold.
 *
 * test-hammer.ts DATABASE LOCKS NAME TURNS KEY…
 */

import { closeSync, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { attempt, blank, finish, message, opening, owner, pin } from "../suite/samples.ts";
import { openSqliteStore } from "./open.ts";

const [database, locks, name, turns, ...keys] = process.argv.slice(2);
const store = await openSqliteStore(database!);
const me = owner(process.pid);

for (let number = 0; number < Number(turns); number += 1) {
  const id = `${name}-${number}`;
  const key = keys[number % keys.length]!;
  const lock = join(locks!, key);
  await store.openTurn(opening(id, key, { owner: me }));
  for (;;) {
    const claim = await store.claimTurn({ turn: id, owner: me, at: Date.now() });
    if (claim.granted) {
      closeSync(openSync(lock, "wx"));
      const held = { turn: id, token: claim.token };
      const at = Date.now();
      await store.recordDecision({ ...held, number: 1, decision: blank, bumpEpoch: false, at });
      await setImmediate();
      unlinkSync(lock);
      await store.finishTurn(
        finish(held, {
          attempt: attempt(),
          messages: [message(`${id}-m`, { turn: id })],
          pin: pin(`handle-${key}`),
          at,
        }),
      );
      break;
    }
    await setTimeout(1);
  }
}
await store.close();
