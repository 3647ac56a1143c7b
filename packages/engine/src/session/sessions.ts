/** Lists, shows and purges sessions. */

import { rm } from "node:fs/promises";
import type {
  Reprise,
  SessionDetail,
  SessionFilter,
  SessionView,
  TurnResult,
  TurnSummary,
} from "@reprise/core/api/reprise";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import { sessionKey } from "@reprise/core/session/key";
import type { Turn } from "@reprise/core/session/turn";
import type { Session } from "@reprise/store/contract/sessions";
import { showAgent } from "../agents.ts";
import { actor, type Engine } from "../engine.ts";
import { findTurn } from "../turn/find-turn.ts";
import { turnResult, verdictView } from "../turn/run-turn.ts";

const recentTurns = 20;

export async function readSession(engine: Engine, key: string): Promise<Session> {
  const session = await engine.store.readSession(sessionKey(key));
  if (session) return session;
  throw new NotFoundError(
    "no-session",
    `There is no session ${key}.`,
    `${verb("sessions.list")} shows them; sending to a new key creates one.`,
  );
}

export async function listSessions(
  engine: Engine,
  { limit = 100, ...query }: NonNullable<Parameters<Reprise["sessions"]["list"]>[0]> = {},
): Promise<SessionView[]> {
  checkLimit(limit);
  if (query.agent) await showAgent(engine, query.agent);
  // In this order a key that does not exist has no place.
  if (query.order === "used" && query.after !== undefined) await readSession(engine, query.after);
  return (await engine.store.listSessions({ ...query, limit })).map(sessionView);
}

export async function countSessions(engine: Engine, filter: SessionFilter = {}): Promise<number> {
  if (filter.agent) await showAgent(engine, filter.agent);
  return engine.store.countSessions(filter);
}

export async function showSession(engine: Engine, key: string): Promise<SessionDetail> {
  const session = await readSession(engine, key);
  const pins = await engine.store.listPins(key);
  const turns = await engine.store.listTurns({ key, limit: recentTurns });
  return {
    ...sessionView(session),
    pins: pins.map(({ agent, handle, folder, model, confirmedAt }) => ({
      agent,
      handle: handle.id,
      folder,
      model,
      confirmedAt,
    })),
    recent: turns.map(turnSummary(await takenBackTurns(engine, session))),
  };
}

/** The turns of a session, newest first. */
export async function listTurns(
  engine: Engine,
  { key, after, limit = recentTurns }: { key: string; after?: string; limit?: number },
): Promise<TurnSummary[]> {
  checkLimit(limit);
  const session = await readSession(engine, key);
  const last = after === undefined ? null : await engine.store.readTurn(after);
  if (after !== undefined && last?.request.key !== key)
    throw new NotFoundError(
      "no-turn",
      `Session ${key} has no turn ${after}.`,
      "Remove `after` to begin with the newest.",
    );
  const query = { key, limit, ...(last && { before: last.seq }) };
  const turns = await engine.store.listTurns(query);
  return turns.map(turnSummary(await takenBackTurns(engine, session)));
}

/** Removes everything that Reprise has under the key; the provider's own files stay. */
export async function purgeSession(
  engine: Engine,
  key: string,
  { force = false, by, ifArchivedAt }: { force?: boolean; by?: string; ifArchivedAt?: number } = {},
): Promise<void> {
  const { turns } = await engine.store.purgeSession({
    key: sessionKey(key),
    force,
    by: actor(engine, by),
    ...(ifArchivedAt !== undefined && { ifArchivedAt }),
    at: engine.now(),
  });
  for (const turn of turns) {
    await engine.launcher.remove(turn);
    await rm(engine.home.found(turn), { recursive: true, force: true });
  }
  await rm(engine.home.found(key), { recursive: true, force: true });
}

/** Shows a turn by its id or the beginning of one, or the last turn of a key. */
export async function why(engine: Engine, turnOrKey: string): Promise<TurnResult> {
  const turn = await findTurn(engine, turnOrKey);
  return turnResult(turn);
}

export function sessionView({ conversation: _, held, ...session }: Session): SessionView {
  return { ...session, held: [...held] };
}

/** The turns that a person took back in the provider's own program. */
async function takenBackTurns(
  engine: Engine,
  { key, agent }: Session,
): Promise<Set<string | null>> {
  const { outline } = await engine.store.load({ key, agent });
  return new Set(outline.filter(({ takenBack }) => takenBack).map(({ turn }) => turn));
}

const turnSummary =
  (takenBack: Set<string | null>) =>
  (summed: Turn): TurnSummary => {
    const { id, seq, status, request, attempts, error, ...turn } = summed;
    const { outcome = null, reason = null, verdicts = [] } = attempts.at(-1)?.decision ?? {};
    const verdict = verdicts.find(({ guard }) => guard === reason);
    return {
      id,
      seq,
      status,
      cancelledBy: error?.by ?? null,
      agent: request.agent,
      outcome,
      reason,
      verdict: verdict ? verdictView(verdict) : null,
      prompt: request.prompt,
      output: turn.output,
      usage: turn.usage,
      takenBack: takenBack.has(id),
      openedAt: turn.openedAt,
      endedAt: turn.endedAt,
    };
  };

function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError("bad-limit", `${limit} is not a limit.`, "Use a whole number above 0.");
}
