/** A home in which a gate's deadline passed ten minutes ago, could not be settled, and is tried again in a day. */

import { StoreError } from "@reprise/core/errors/errors";
import { openEngine } from "@reprise/engine/open-reprise";
import { settleDeadlines } from "@reprise/engine/runs";

const source = `
name: Release
steps:
  sign-off: { gate: { title: "Ship it?", choices: [ship, drop], deadline: 1s, onDeadline: drop } }
`;

/** No other process may have the home open meanwhile. Returns the item. */
export async function parkDeadline(home: string, cwd: string, run: string): Promise<string> {
  let now = Date.now() - 12 * 60_000;
  const { engine, reprise } = await openEngine({
    home,
    cwd,
    now: () => now,
    wrap: {
      store: (store) => ({
        ...store,
        expireItem: async () => {
          throw new StoreError("store-io", "The disk gave up.", "Look at it.");
        },
      }),
    },
  });
  const { waitsFor } = await reprise.runs.start({ source, id: run });
  for (let parked = 0; parked === 0; now += 20_000) parked = (await settleDeadlines(engine)).length;
  await reprise.close();
  return waitsFor[0]!;
}
