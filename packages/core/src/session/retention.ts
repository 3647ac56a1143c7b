/**
 * Retention: unused sessions are archived, and archived ones are purged after a time, or when there are too
 * many. A session that is held or in use is left alone. A dry run lists the plan that an enforcing run
 * executes.
 */

import { formatDuration, roughDuration } from "../text/duration.ts";

/** The facts about a session that retention needs. */
export interface KeptSession {
  readonly key: string;
  readonly usedAt: number;
  readonly archivedAt: number | null;
  readonly heldBy: readonly string[];
  /** A turn is running in it or waiting for it. */
  readonly inUse: boolean;
  /** The session's own setting, or the general one; null for never. */
  readonly archiveAfter: number | null;
}

export interface RetentionPolicy {
  /** Counted from the archiving; null for never. */
  readonly pruneAfter: number | null;
  /** The maximum number of archived sessions. */
  readonly maxEntries: number | null;
}

export interface RetentionStep {
  readonly key: string;
  readonly action: "archive" | "purge";
  readonly reason: string;
}

export interface RetentionPlan {
  readonly steps: readonly RetentionStep[];
  /** Due as well, but left alone. */
  readonly spared: readonly RetentionStep[];
}

export function planRetention(
  sessions: readonly KeptSession[],
  policy: RetentionPolicy,
  now: number,
): RetentionPlan {
  const steps: RetentionStep[] = [];
  const spared: RetentionStep[] = [];
  const stay: KeptSession[] = [];
  for (const session of sessions) {
    const step = dueByAge(session, policy, now);
    const protection = protectionOf(session);
    if (step && protection) spared.push({ ...step, reason: `${step.reason}, but ${protection}` });
    else if (step) steps.push(step);
    if (session.archivedAt !== null && (step === null || protection)) stay.push(session);
  }
  return { steps: [...steps, ...overflow(stay, policy)], spared };
}

function dueByAge(
  { key, usedAt, archivedAt, archiveAfter }: KeptSession,
  { pruneAfter }: RetentionPolicy,
  now: number,
): RetentionStep | null {
  if (archivedAt === null) {
    const unused = now - usedAt;
    if (archiveAfter === null || unused < archiveAfter) return null;
    const reason = `unused for ${roughDuration(unused)}, archiveAfter is ${formatDuration(archiveAfter)}`;
    return { key, action: "archive", reason };
  }
  const archived = now - archivedAt;
  if (pruneAfter === null || archived < pruneAfter) return null;
  const reason = `archived for ${roughDuration(archived)}, prune.after is ${formatDuration(pruneAfter)}`;
  return { key, action: "purge", reason };
}

/** Purges the sessions archived longest ago until the maximum is met or the rest is protected. */
function overflow(
  archived: readonly KeptSession[],
  { maxEntries }: RetentionPolicy,
): RetentionStep[] {
  if (maxEntries === null || archived.length <= maxEntries) return [];
  const reason = `${archived.length} sessions are archived, prune.maxEntries is ${maxEntries}`;
  return archived
    .filter((session) => protectionOf(session) === null)
    .toSorted((one, other) => one.archivedAt! - other.archivedAt! || (one.key < other.key ? -1 : 1))
    .slice(0, archived.length - maxEntries)
    .map(({ key }) => ({ key, action: "purge", reason }));
}

function protectionOf({ heldBy, inUse }: KeptSession): string | null {
  if (inUse) return "in use";
  return heldBy.length > 0 ? `held by ${heldBy.join(", ")}` : null;
}
