/** How much of a sweep is done: all of it on SQLite, a part in each run on PostgreSQL, where it takes longer. */

import { join } from "node:path";
import { readStoreRecord } from "@reprise/engine/home";

export interface Share {
  /** One scenario of this many is done. */
  readonly every: number;
  /** The number of the first, from 0 on. */
  readonly offset: number;
}

const ofPostgres = 4;

/**
 * `folder`: that of a scenario. `REPRISE_CRASH_OFFSET` chooses the part, which otherwise is another one every hour;
 * `REPRISE_CRASH_OFFSET=all` does all of it.
 */
export function shareFor(folder: string): Share {
  // A point that is replayed may be in any part.
  if (process.env.REPRISE_CRASH_POINT !== undefined) return { every: 1, offset: 0 };
  const offset = process.env.REPRISE_CRASH_OFFSET ?? Math.floor(Date.now() / 3_600_000);
  if (readStoreRecord(join(folder, "home")) === null || offset === "all")
    return { every: 1, offset: 0 };
  return { every: ofPostgres, offset: Number(offset) % ofPostgres };
}

export function shareOf<Scenario>(
  scenarios: readonly Scenario[],
  { every, offset }: Share,
): Scenario[] {
  return scenarios.filter((_, index) => index % every === offset);
}

/** For the title of a test. */
export function shareTitle({ every, offset }: Share): string {
  return every === 1 ? "" : ` (one scenario of ${every}, offset ${offset})`;
}
