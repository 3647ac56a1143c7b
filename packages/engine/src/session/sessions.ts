/** Sessions as callers list, look at and remove them. */

import { rm } from "node:fs/promises";
import type { SessionDetail, SessionView, TurnResult } from "@reprise/core/api/reprise";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { sessionKey } from "@reprise/core/session/key";
import type { Session } from "@reprise/store/store";
import { showAgent } from "../agents.ts";
import type { Engine } from "../engine.ts";
import { findTurn } from "../turn/find-turn.ts";
import { turnResult } from "../turn/views.ts";

const recentTurns = 20;

export async function readSession(engine: Engine, key: string): Promise<Session> {
  const session = await engine.store.readSession(sessionKey(key));
  if (session) return session;
  throw new NotFoundError(
    "no-session",
    `There is no session ${key}.`,
    "reprise sessions list shows them; sending to a new key creates one.",
  );
}

export async function listSessions(
  engine: Engine,
  { agent, after, limit = 100 }: { agent?: string; after?: string; limit?: number } = {},
): Promise<SessionView[]> {
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError("bad-limit", `${limit} is not a limit.`, "Use a whole number above 0.");
  if (agent) await showAgent(engine, agent);
  const query = { limit, ...(agent && { agent }), ...(after && { after }) };
  return (await engine.store.listSessions(query)).map(sessionView);
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
    recent: turns.map((turn) => ({
      id: turn.id,
      seq: turn.seq,
      status: turn.status,
      agent: turn.request.agent,
      outcome: turn.attempts.at(-1)?.decision.outcome ?? null,
      reason: turn.attempts.at(-1)?.decision.reason ?? null,
      prompt: turn.request.prompt,
      output: turn.output,
      usage: turn.usage,
      openedAt: turn.openedAt,
      endedAt: turn.endedAt,
    })),
  };
}

/** Removes all that Reprise has under the key; the provider's own files stay with the provider. */
export async function purgeSession(
  engine: Engine,
  key: string,
  { force = false, ifArchivedAt }: { force?: boolean; ifArchivedAt?: number } = {},
): Promise<void> {
  const { turns } = await engine.store.purgeSession({
    key: sessionKey(key),
    force,
    ...(ifArchivedAt !== undefined && { ifArchivedAt }),
    at: engine.now(),
  });
  for (const turn of turns) {
    await engine.launcher.remove(turn);
    await rm(engine.home.found(turn), { recursive: true, force: true });
  }
  await rm(engine.home.found(key), { recursive: true, force: true });
}

/** A turn by its id or the beginning of one, else the last turn of that key. */
export async function why(engine: Engine, turnOrKey: string): Promise<TurnResult> {
  const turn = await findTurn(engine, turnOrKey);
  return turnResult(turn, await engine.store.readSession(turn.request.key));
}

export function sessionView({ conversation: _, held, ...session }: Session): SessionView {
  return { ...session, held: [...held] };
}
