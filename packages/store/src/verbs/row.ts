/** What verbs of several nouns share: JSON columns, locks, stored decisions, and queries that run side by side. */

import type { Decision, Verdict } from "@reprise/core/session/decision";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import type { Db, Query } from "./db.ts";

/** Values that are stored as JSON text; null stays NULL. */
export function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

export function fromJson<Value>(text: string): Value;
export function fromJson<Value>(text: string | null): Value | null;
export function fromJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

/**
 * What a transaction locks before it reads what it will change. A transaction locks runs before sessions, so that
 * two of them do not wait for each other.
 */
export function lockSession(db: Db, key: string): Query<void> {
  return lockName(db, `session:${key}`);
}

/** Locks the session of a turn. */
export function lockTurn(db: Db, turn: string): Query<void> {
  return db.lock("SELECT 'session:' || key FROM turn WHERE id = :turn", { turn });
}

/** Locks the session of a turn, and the run whose node sent it. */
export function lockTurnAndRun(db: Db, turn: string): Query<void> {
  return db.lock(
    `SELECT 'session:' || key FROM turn WHERE id = :turn
     UNION ALL
     SELECT 'run:' || (request -> 'origin' ->> 'run') FROM turn
     WHERE id = :turn AND request -> 'origin' ->> 'run' IS NOT NULL`,
    { turn },
  );
}

export function lockRun(db: Db, run: string): Query<void> {
  return lockName(db, `run:${run}`);
}

/** Locks the run of an inbox item. */
export function lockItem(db: Db, item: string): Query<void> {
  return db.lock("SELECT 'run:' || run FROM inbox_item WHERE id = :item", { item });
}

/** Locks anything else by a name of its own, such as `agent:coder`. */
export function* lockName(db: Db, name: string): Query<void> {
  if (db.locked.has(name)) return;
  db.locked.add(name);
  yield* db.lock("SELECT CAST(:name AS TEXT)", { name });
}

// Reads a decision as it was stored. Schemas up to 11 called a verdict's `passed` `held`. Older versions
// recorded only in a notice that an unconfirmed turn was kept.
// /

type StoredVerdict = Omit<Verdict, "passed"> &
  ({ readonly passed: boolean } | { readonly held: boolean });

export function storedDecision(json: string): Decision {
  const decision = JSON.parse(json) as Decision & { readonly verdicts: readonly StoredVerdict[] };
  const verdicts = decision.verdicts.map(verdictFrom);
  if (decision.outcome !== "resume") return { ...decision, verdicts };
  const { keepsUnconfirmed = decision.notices.some(({ code }) => code === "unconfirmed-kept") } =
    decision;
  return { ...decision, verdicts, keepsUnconfirmed };
}

function verdictFrom(stored: StoredVerdict): Verdict {
  if ("passed" in stored) return stored;
  const { held, ...verdict } = stored;
  return { ...verdict, passed: held };
}

// The condition that a row belongs to one of some owners.

/** Parameters for a condition on the owner. */
export function namedOwners(owners: readonly ProcessIdentity[]): Record<string, string> {
  return Object.fromEntries(owners.map((owner, index) => [`owner${index}`, JSON.stringify(owner)]));
}

/** True for rows without an owner, and those of the named ones. */
export function isOwnedBy(named: Readonly<Record<string, string>>): string {
  const names = Object.keys(named).map((name) => `:${name}`);
  return names.length === 0 ? "owner IS NULL" : `(owner IS NULL OR owner IN (${names.join(", ")}))`;
}

// Runs queries, one or several side by side.

/** Runs a verb, or what is left of it after `step`, and passes the result of each statement back to it. */
export async function drive<Result>(query: Query<Result>, step = query.next()): Promise<Result> {
  while (!step.done) {
    try {
      const value = await step.value;
      step = query.next(value);
    } catch (error) {
      step = query.throw(error);
    }
  }
  return step.value;
}

/**
 * Runs queries side by side, so that on a network their statements share round trips. Those of each query keep their
 * order, and the first statements of all are sent in the order of the queries.
 */
export function* together<Results extends unknown[]>(
  ...queries: { readonly [Index in keyof Results]: Query<Results[Index]> }
): Query<Results> {
  const results: Results[number][] = [];
  const waiting: Promise<void>[] = [];
  for (const [index, query] of queries.entries()) {
    const step = query.next();
    if (step.done) results[index] = step.value;
    else
      waiting.push(
        drive(query, step).then((result) => {
          results[index] = result;
        }),
      );
  }
  if (waiting.length > 0) yield allDone(waiting);
  return results as Results;
}

/** In the place of a query of `together` that is not needed. */
// biome-ignore lint/correctness/useYield: there is nothing to wait for.
export function* nothing(): Query<null> {
  return null;
}

/** Waits for all of them, also if one fails: the others still use the transaction. */
async function allDone(waiting: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(waiting))
    if (result.status === "rejected") throw result.reason;
}
