/**
 * Opens a turn: `openTurn` queues it, `beginTurn` also gives it its session if that is free. If the session is
 * in use, the caller may not want to wait.
 */

import { BusyError, FencedError, NotFoundError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { ownerText } from "@reprise/core/session/owner-text";
import { openStatuses, type ProcessIdentity, type Turn } from "@reprise/core/session/turn";
import type { SessionFacts } from "../../contract/sessions.ts";
import type { TurnOpening } from "../../contract/turns.ts";
import { readAgent } from "../agents/agents.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent, doneBy } from "../events/events.ts";
import { lockSession, lockTurn, together, toJson } from "../row.ts";
import { setSession } from "../sessions/set-session.ts";
import { load } from "../sessions/transcript.ts";
import type { Verb } from "../verb.ts";
import { requireClaim } from "./record-turn.ts";
import { inUseBy, isOpen, releaseLeases, selectTurn, takeLeases } from "./turn-row.ts";

export const openTurn: Verb<"openTurn"> = function* (db, opening) {
  const { repeated, ...found } = yield* readForOpening(db, opening);
  if (repeated) return repeated;
  return yield* writeOpened(db, opening, { ...found, starts: false });
};

export const beginTurn: Verb<"beginTurn"> = function* (db, opening) {
  const { repeated, ...found } = yield* readForOpening(db, opening);
  if (repeated) return { turn: repeated, facts: null, behind: null };
  const { behind } = found;
  const starts = behind === null;
  const turn = yield* writeOpened(db, opening, { ...found, starts });
  if (!starts) return { turn, facts: null, behind };
  yield* takeLeases(db, turn.id, turn.request);
  return yield* db.last(function* (last) {
    return { turn, facts: yield* factsFor(last, turn), behind: null };
  });
};

/** What has to be known to open a turn. */
interface OpeningFacts {
  /** The open turn that it is queued behind. */
  readonly behind: Turn | null;
  /** That of its session; null if the session is new. */
  readonly epoch: number | null;
  /** Its number in the session. */
  readonly seq: number;
}

/** Locks the session of a new turn first. `repeated`: the turn itself, if it was opened before. */
function* readForOpening(
  db: Db,
  { id, request: { key, agent } }: TurnOpening,
): Query<OpeningFacts & { readonly repeated: Turn | null }> {
  yield* lockSession(db, key);
  const [repeated, behind, session] = yield* together(
    selectTurn(db, id),
    inUseBy(db, { key, agent }),
    db.get<Pick<OpeningFacts, "epoch" | "seq">>(
      `SELECT (SELECT epoch FROM session WHERE key = :key) AS epoch,
         (SELECT coalesce(max(seq), 0) + 1 FROM turn WHERE key = :key) AS seq`,
      { key },
    ),
  );
  return { repeated, behind, ...session! };
}

/** Writes a new turn; `starts`: it gets its session at once, and with it the first token. */
function* writeOpened(
  db: Db,
  opening: TurnOpening,
  { behind, epoch, seq, starts }: OpeningFacts & { readonly starts: boolean },
): Query<Turn> {
  const { id, request, provider, busy, owner, by, settings, at } = opening;
  if (behind && busy === "fail")
    throw new BusyError(
      "busy",
      `Session ${request.key} is in use by turn ${behind.id}${whose(behind)}.`,
      `Try again later, or send with ${option("busy", "wait")} or ${option("busy", "queue")}.`,
    );

  const skipped = behind !== null && busy === "skip";
  if (epoch === null) yield* insertSession(db, opening);
  else yield* useSession(db, opening, skipped ? 0 : at);
  if (settings) yield* setSession(db, { key: request.key, settings, at, by });
  const turn: Turn = {
    id,
    seq,
    epoch: epoch ?? 0,
    status: starts ? "running" : skipped ? "skipped" : "queued",
    request,
    provider,
    acknowledged: busy === "queue",
    owner,
    token: starts ? 1 : 0,
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
    startedAt: starts ? at : null,
    endedAt: skipped ? at : null,
  };
  yield* insertTurn(db, turn);
  const { agent, surface } = request;
  const status = skipped ? "skipped" : "queued";
  const data = { turn: id, seq, status, agent, surface, ...doneBy({ by }) };
  yield* appendEvent(db, `session:${request.key}`, { type: "turn.opened", data }, at);
  return turn;
}

function whose({ owner, startedAt, openedAt }: Turn): string {
  if (owner === null) return "";
  return ` of ${ownerText(owner)} since ${new Date(startedAt ?? openedAt).toISOString()}`;
}

function* insertSession(
  db: Db,
  { request: { key, agent, channel }, provider, at }: TurnOpening,
): Query<void> {
  yield* db.run(
    `INSERT INTO session (key, conversation, agent, provider, epoch, channel, turns,
       created_at, updated_at, used_at)
     VALUES (:key, :key, :agent, :provider, 0, :channel, 0, :at, :at, :at)`,
    { key, agent, provider, channel, at },
  );
  const data = { key, agent, provider };
  yield* appendEvent(db, `session:${key}`, { type: "session.created", data }, at);
}

/** `usedAt`: 0 for a turn that does not count as a use of the session. */
function* useSession(
  db: Db,
  { request: { key, channel } }: TurnOpening,
  usedAt: number,
): Query<void> {
  yield* db.run(
    `UPDATE session SET channel = coalesce(:channel, channel), used_at = max(used_at, CAST(:usedAt AS BIGINT))
     WHERE key = :key`,
    { key, channel, usedAt },
  );
}

function* insertTurn(db: Db, turn: Turn): Query<void> {
  yield* db.run(
    `INSERT INTO turn (id, key, seq, status, agent, provider, acknowledged, owner, token,
       opened_at, started_at, ended_at, notices, request)
     VALUES (:id, :key, :seq, :status, :agent, :provider, :acknowledged, :owner, :token,
       :openedAt, :startedAt, :endedAt, :notices, :request)`,
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
      startedAt: turn.startedAt,
      endedAt: turn.endedAt,
      notices: JSON.stringify(turn.notices),
      request: JSON.stringify(turn.request),
    },
  );
}

/** Gives the first turn in the queue its leases and makes it running. */
export const claimTurn: Verb<"claimTurn"> = function* (db, { turn: id, owner, at }) {
  yield* lockTurn(db, id);
  const turn = yield* selectTurn(db, id);
  if (turn === null)
    throw new NotFoundError(
      "no-turn",
      `There is no turn ${id}.`,
      "Its session may have been purged.",
    );
  if (!openStatuses.includes(turn.status)) throw new FencedError(id);

  const behind = yield* inUseBy(db, turn.request, id);
  if (behind) return { granted: false, behind };

  const claimed = yield* giveSession(db, turn, owner, at);
  const [agent, facts] = yield* together(readAgent(db, turn.request.agent), factsFor(db, claimed));
  return { granted: true, token: claimed.token, turn: claimed, agent, facts };
};

/** Makes a queued turn running, with a new token and its leases. */
function* giveSession(db: Db, turn: Turn, owner: ProcessIdentity, at: number): Query<Turn> {
  const token = turn.token + 1;
  yield* db.run(
    `UPDATE turn SET status = 'running', owner = :owner, token = :token, started_at = :at
     WHERE id = :id`,
    { id: turn.id, owner: JSON.stringify(owner), token, at },
  );
  yield* takeLeases(db, turn.id, turn.request);
  return { ...turn, status: "running", owner, token, startedAt: at };
}

/** What is needed to decide about a turn. */
function factsFor(db: Db, { id, request: { key, agent } }: Turn): Query<SessionFacts> {
  return load(db, { key, agent, turn: id });
}

/** Changes the owner of an open turn, and fences the previous one. */
export const takeOver: Verb<"takeOver"> = function* (db, { turn, token, owner }) {
  yield* lockTurn(db, turn);
  const taken = yield* db.get<{ token: number }>(
    `UPDATE turn SET owner = :owner, token = token + 1
     WHERE id = :turn AND token = :token AND ${isOpen}
     RETURNING token`,
    { turn, token, owner: toJson(owner) },
  );
  return taken?.token ?? null;
};

/** Queues a turn again that was not launched, for any process to run. */
export const requeueTurn: Verb<"requeueTurn"> = function* (db, { turn, token, to }) {
  const { stream, agent: from } = yield* requireClaim(db, { turn, token }, ["running"]);
  const launched = yield* db.get(
    "SELECT 1 FROM attempt WHERE turn = :turn AND launch IS NOT NULL AND ending IS NULL",
    { turn },
  );
  if (launched !== undefined) throw new Error(`Turn ${turn} was launched.`);
  yield* db.run(
    "UPDATE turn SET status = 'queued', owner = NULL, token = token + 1 WHERE id = :turn",
    {
      turn,
    },
  );
  yield* releaseLeases(db, turn);
  if (!to) return;
  const { request, provider, at } = to;
  const { agent } = request;
  yield* db.run(
    "UPDATE turn SET agent = :agent, provider = :provider, request = :request WHERE id = :turn",
    { turn, agent, provider, request: JSON.stringify(request) },
  );
  yield* appendEvent(db, stream, { type: "turn.switched", data: { turn, from, agent } }, at);
};

/** Queues an interrupted turn again, if it is certain that nothing of it was started. */
export const reopenTurn: Verb<"reopenTurn"> = function* (db, { turn: id, owner, at }) {
  yield* lockTurn(db, id);
  const turn = yield* selectTurn(db, id);
  if (turn === null)
    throw new NotFoundError(
      "no-turn",
      `There is no turn ${id}.`,
      "Its session may have been purged.",
    );
  const started = turn.attempts.some(({ launch }) => launch !== null);
  if (turn.status !== "interrupted" || started) return turn;
  // The earlier decision is made again.
  yield* db.run("DELETE FROM attempt WHERE turn = :id", { id });
  yield* db.run(
    `UPDATE turn SET status = 'queued', owner = :owner, token = token + 1, error = NULL,
       notices = '[]', started_at = NULL, ended_at = NULL
     WHERE id = :id`,
    { id, owner: JSON.stringify(owner) },
  );
  yield* db.run(
    `UPDATE session SET turns = turns - 1, updated_at = :at, used_at = max(used_at, :at)
     WHERE key = :key`,
    { key: turn.request.key, at },
  );
  const data = { turn: id, seq: turn.seq };
  yield* appendEvent(db, `session:${turn.request.key}`, { type: "turn.reopened", data }, at);
  return (yield* selectTurn(db, id))!;
};
