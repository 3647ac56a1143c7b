/**
 * `prune`: archives unused sessions and purges those that were archived long ago. A dry run makes the same
 * plan and stops there. Each step checks again first: a session that was used, held or revived meanwhile is
 * left alone.
 */

import { parse } from "@reprise/core/api/parse";
import type { Prune, PruneReport } from "@reprise/core/api/reprise";
import { pruneSchema } from "@reprise/core/api/schemas";
import { RepriseError, StoreError } from "@reprise/core/errors/errors";
import { planRetention, type RetentionStep } from "@reprise/core/session/retention";
import { withSession } from "@reprise/core/settings/settings";
import type { RetentionRow } from "@reprise/store/contract/sessions";
import type { Engine } from "../engine.ts";
import { purgeSession } from "./sessions.ts";

const page = 1000;

export async function pruneSessions(engine: Engine, input: Prune = {}): Promise<PruneReport> {
  const { settings } = engine;
  const enforced = parse(pruneSchema(), input).enforce ?? settings["prune.mode"] === "enforce";
  const kept = await listAll(engine);
  const plan = planRetention(
    kept.map((session) => ({
      ...session,
      archiveAfter: withSession(settings, session.settings).archiveAfter,
    })),
    { pruneAfter: settings["prune.after"], maxEntries: settings["prune.maxEntries"] },
    engine.now(),
  );
  const report = { enforced, spared: [...plan.spared] };
  if (!enforced) return { ...report, steps: [...plan.steps], skipped: [] };

  const seen = new Map(kept.map((session) => [session.key, session]));
  const steps: RetentionStep[] = [];
  const skipped: RetentionStep[] = [];
  for (const step of plan.steps) {
    const problem = await apply(engine, step, seen.get(step.key)!);
    if (problem === null) steps.push(step);
    else skipped.push({ ...step, reason: problem });
  }
  return { ...report, steps, skipped };
}

async function listAll(engine: Engine): Promise<RetentionRow[]> {
  const all: RetentionRow[] = [];
  for (let after = ""; ; after = all.at(-1)!.key) {
    const more = await engine.store.listRetention({ after, limit: page });
    all.push(...more);
    if (more.length < page) return all;
  }
}

/** Why the step was not done; null if it was. */
async function apply(
  engine: Engine,
  { key, action, reason }: RetentionStep,
  { usedAt, archivedAt }: RetentionRow,
): Promise<string | null> {
  try {
    const by = "retention";
    if (action === "archive")
      await engine.store.archiveSession({ key, reason, ifUsedAt: usedAt, by, at: engine.now() });
    else await purgeSession(engine, key, { ifArchivedAt: archivedAt!, by });
    return null;
  } catch (error) {
    if (error instanceof RepriseError && !(error instanceof StoreError)) return error.message;
    throw error;
  }
}
