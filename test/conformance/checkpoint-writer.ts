/**
 * A process that ends turns with checkpoints of a growing file as fast as it can, until it is killed.
 * `node checkpoint-writer.ts DATABASE` prints how many lines the file has after each of them.
 */

import { checkpointParts } from "@reprise/engine/turn/checkpoint";
import { openSqliteStore } from "@reprise/store/sqlite/open";
import type { Store } from "@reprise/store/store";
import { checkpoint, finish, hold, owner, pin, standing } from "@reprise/store/suite/samples";

export const place = { key: "written", agent: "coder", handle: "h1" };

/** The file after this number of turns. */
export function fileOf(lines: number): Uint8Array {
  const text = Array.from({ length: lines }, (_, index) => `${index} `.repeat(1 + (index % 700)));
  return new TextEncoder().encode(text.join("\n"));
}

export const end = (lines: number) => ({ length: lines, digest: `of ${lines}` });

async function write(store: Store): Promise<void> {
  const me = owner(process.pid);
  for (const { id, token } of await store.listOpenTurns({ limit: 99 })) {
    const taken = await store.takeOver({ turn: id, token, owner: me });
    await store.finishTurn(finish({ turn: id, token: taken! }, { status: "interrupted" }));
  }
  const { checkpoint: last } = await store.load(place);
  for (let lines = (last?.standing?.history?.length ?? 0) + 1; ; lines += 1) {
    const held = await hold(store, `${process.pid}-${lines}`, place.key, { owner: me });
    const { checkpoint: before } = await store.load(place);
    const parts = checkpointParts([{ name: "log", bytes: fileOf(lines) }], before);
    await store.finishTurn(
      finish(held, {
        pin: pin(place.handle, { history: end(lines) }),
        checkpoint: checkpoint(parts, { standing: { ...standing, history: end(lines) } }),
      }),
    );
    console.log(lines);
  }
}

if (import.meta.main) await write(await openSqliteStore(process.argv[2]!));
