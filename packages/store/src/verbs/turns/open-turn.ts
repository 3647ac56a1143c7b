/**
 * Opens a turn: `openTurn` queues it, `beginTurn` also gives it its session if that is free. If the session is
 * in use, the caller may not want to wait.
 */

import { BusyError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { ownerText } from "@reprise/core/session/owner-text";
import type { Turn, TurnRequest } from "@reprise/core/session/turn";
import type { TurnOpening } from "../../contract/turns.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent, doneBy } from "../events/event.ts";
import { toJson } from "../json.ts";
import { lockSession } from "../locks.ts";
import { setSession } from "../sessions/set-session.ts";
import type { Verb } from "../verb.ts";
import { factsFor, giveSession } from "./claim-turn.ts";
import { firstInQueue, leaseHolder, leaseNames } from "./queue.ts";
import { selectTurn } from "./turn-row.ts";

export const openTurn: Verb<"openTurn"> = function* (db, opening) {
  yield* lockSession(db, opening.request.key);
  const repeated = yield* selectTurn(db, opening.id);
  if (repeated) return repeated;
  const { key, agent } = opening.request;
  const leases = yield* leaseNames(db, key, agent);
  return yield* writeOpened(db, opening, yield* inUseBy(db, key, leases));
};

export const beginTurn: Verb<"beginTurn"> = function* (db, opening) {
  yield* lockSession(db, opening.request.key);
  const repeated = yield* selectTurn(db, opening.id);
  if (repeated) return { turn: repeated, facts: null, behind: null };
  const { key, agent } = opening.request;
  const leases = yield* leaseNames(db, key, agent);
  const behind = yield* inUseBy(db, key, leases);
  const opened = yield* writeOpened(db, opening, behind);
  if (behind) return { turn: opened, facts: null, behind };
  const turn = yield* giveSession(db, opened, leases, opening.owner, opening.at);
  return { turn, facts: yield* factsFor(db, turn), behind: null };
};

/** Writes a new turn, `queued` or `skipped`. */
function* writeOpened(db: Db, opening: TurnOpening, ahead: Turn | null): Query<Turn> {
  const { id, request, provider, busy, owner, by, settings, at } = opening;
  if (ahead && busy === "fail")
    throw new BusyError(
      "busy",
      `Session ${request.key} is in use by turn ${ahead.id}${whose(ahead)}.`,
      `Try again later, or send with ${option("busy", "wait")} or ${option("busy", "queue")}.`,
    );

  const skipped = ahead !== null && busy === "skip";
  const epoch = yield* writeSession(db, { request, provider, usedAt: skipped ? 0 : at, at });
  if (settings) yield* setSession(db, { key: request.key, settings, at, by });
  const turn: Turn = {
    id,
    seq: yield* nextSeq(db, request.key),
    epoch,
    status: skipped ? "skipped" : "queued",
    request,
    provider,
    acknowledged: busy === "queue",
    owner,
    token: 0,
    attempts: [],
    asked: null,
    askedAt: null,
    answer: null,
    answered: null,
    output: null,
    error: null,
    usage: null,
    notices: [],
    openedAt: at,
    startedAt: null,
    endedAt: skipped ? at : null,
  };
  yield* insertTurn(db, turn);
  const { seq, status } = turn;
  const { agent, surface } = request;
  const data = { turn: id, seq, status, agent, surface, ...doneBy({ by }) };
  yield* appendEvent(db, `session:${request.key}`, { type: "turn.opened", data }, at);
  return turn;
}

function whose({ owner, startedAt, openedAt }: Turn): string {
  if (owner === null) return "";
  return ` of ${ownerText(owner)} since ${new Date(startedAt ?? openedAt).toISOString()}`;
}

/** An open turn of this key, or of another key with the same provider session. */
function* inUseBy(db: Db, key: string, leases: readonly string[]): Query<Turn | null> {
  return (yield* firstInQueue(db, key)) ?? (yield* leaseHolder(db, leases));
}

/** Returns the session's epoch. */
function* writeSession(
  db: Db,
  {
    request: { key, agent, channel },
    provider,
    usedAt,
    at,
  }: {
    readonly request: TurnRequest;
    readonly provider: string;
    /** 0 for a turn that does not count as a use of the session. */
    readonly usedAt: number;
    readonly at: number;
  },
): Query<number> {
  const session = yield* db.get<{ epoch: number }>(
    `UPDATE session SET channel = coalesce(:channel, channel), used_at = max(used_at, CAST(:usedAt AS BIGINT))
     WHERE key = :key RETURNING epoch`,
    { key, channel, usedAt },
  );
  if (session) return session.epoch;
  yield* db.run(
    `INSERT INTO session (key, conversation, agent, provider, epoch, channel, turns,
       created_at, updated_at, used_at)
     VALUES (:key, :key, :agent, :provider, 0, :channel, 0, :at, :at, :at)`,
    { key, agent, provider, channel, at },
  );
  yield* appendEvent(
    db,
    `session:${key}`,
    { type: "session.created", data: { key, agent, provider } },
    at,
  );
  return 0;
}

function* nextSeq(db: Db, key: string): Query<number> {
  const row = yield* db.get<{ next: number }>(
    "SELECT coalesce(max(seq), 0) + 1 AS next FROM turn WHERE key = :key",
    { key },
  );
  return row!.next;
}

function* insertTurn(db: Db, turn: Turn): Query<void> {
  yield* db.run(
    `INSERT INTO turn (id, key, seq, status, agent, provider, acknowledged, owner, token,
       opened_at, ended_at, notices, request)
     VALUES (:id, :key, :seq, :status, :agent, :provider, :acknowledged, :owner, :token,
       :openedAt, :endedAt, :notices, :request)`,
    {
      id: turn.id,
      key: turn.request.key,
      seq: turn.seq,
      status: turn.status,
      agent: turn.request.agent,
      provider: turn.provider,
      acknowledged: turn.acknowledged ? 1 : 0,
      owner: toJson(turn.owner),
      token: turn.token,
      openedAt: turn.openedAt,
      endedAt: turn.endedAt,
      notices: JSON.stringify(turn.notices),
      request: JSON.stringify(turn.request),
    },
  );
}
