/** Sums the usage of ended turns, and what a reseed would have sent instead of each resume. */

import type { UsageRow } from "../../contract/usage.ts";
import type { Verb } from "../verb.ts";

interface Row {
  key: string;
  agent: string;
  provider: string;
  id: string;
  seq: number;
  turns: number;
  resume: number;
  reseed: number;
  blank: number;
  refuse: number;
  unreported: number;
  cached_read: number | null;
  cached_write: number | null;
  uncached: number | null;
  output: number | null;
  compared: number;
  compared_bytes: number;
  compared_uncached: number;
}

const groups = {
  all: "",
  session: "GROUP BY key, agent, provider",
  turn: "GROUP BY id",
};

/** A turn that ended while queued, or was skipped, has no attempt and no usage. */
export const sumUsage: Verb<"sumUsage"> = function* (db, query) {
  const { by, since = null, key = null, agent = null, limit = Number.MAX_SAFE_INTEGER } = query;
  return (yield* db.all<Row>(
    `WITH spoken AS (
         SELECT conversation, turn, role, seq, octet_length(text) AS bytes,
           sum(opening) OVER (PARTITION BY conversation ORDER BY seq) AS part
         FROM message
         WHERE CAST(:key AS TEXT) IS NULL
           OR conversation = (SELECT conversation FROM session WHERE session.key = :key)
       ),
       -- The total size of all messages since the last blank turn, up to and including each message.
       heard AS (
         SELECT turn, role, sum(bytes) OVER (PARTITION BY conversation, part ORDER BY seq) AS bytes
         FROM spoken
       ),
       asked AS MATERIALIZED (
         SELECT turn, min(bytes) AS bytes FROM heard WHERE role = 'user' GROUP BY turn
       ),
       ended AS (
         SELECT turn.id, turn.key, turn.seq, turn.agent, turn.provider, usage, bytes,
           (SELECT decision ->> 'outcome' FROM attempt WHERE attempt.turn = turn.id
            ORDER BY number DESC LIMIT 1) AS outcome
         FROM turn LEFT JOIN asked ON asked.turn = turn.id
         WHERE ended_at IS NOT NULL
           AND (CAST(:key AS TEXT) IS NULL OR turn.key = :key)
           AND (CAST(:agent AS TEXT) IS NULL OR turn.agent = :agent)
           AND (CAST(:since AS BIGINT) IS NULL OR opened_at >= :since)
       ),
       used AS (
         SELECT ended.*,
           CAST(usage ->> 'cachedRead' AS BIGINT) AS cached_read,
           CAST(usage ->> 'cachedWrite' AS BIGINT) AS cached_write,
           CAST(usage ->> 'uncached' AS BIGINT) AS uncached,
           CAST(usage ->> 'output' AS BIGINT) AS output,
           CASE WHEN outcome = 'resume' AND usage ->> 'uncached' IS NOT NULL THEN bytes END
             AS compared
         FROM ended WHERE outcome IS NOT NULL
       )
       SELECT max(key) AS key, max(agent) AS agent, max(provider) AS provider,
         max(id) AS id, max(seq) AS seq, count(*) AS turns,
         count(CASE WHEN outcome = 'resume' THEN 1 END) AS resume,
         count(CASE WHEN outcome = 'reseed' THEN 1 END) AS reseed,
         count(CASE WHEN outcome = 'blank' THEN 1 END) AS blank,
         count(CASE WHEN outcome = 'refuse' THEN 1 END) AS refuse,
         count(CASE WHEN usage IS NULL AND outcome <> 'refuse' THEN 1 END) AS unreported,
         sum(cached_read) AS cached_read, sum(cached_write) AS cached_write,
         sum(uncached) AS uncached, sum(output) AS output,
         count(compared) AS compared, coalesce(sum(compared), 0) AS compared_bytes,
         coalesce(sum(CASE WHEN compared IS NOT NULL
           THEN uncached + coalesce(cached_write, 0) END), 0) AS compared_uncached
       FROM used ${groups[by]}
       HAVING count(*) > 0
       ORDER BY ${by === "turn" ? "seq DESC" : "key, agent, provider"}
       LIMIT :limit`,
    { since, key, agent, limit },
  )).map(rowFrom);
};

function rowFrom(row: Row): UsageRow {
  return {
    key: row.key,
    agent: row.agent,
    provider: row.provider,
    turn: { id: row.id, seq: row.seq },
    turns: row.turns,
    resume: row.resume,
    reseed: row.reseed,
    blank: row.blank,
    refuse: row.refuse,
    unreported: row.unreported,
    usage: {
      cachedRead: row.cached_read,
      cachedWrite: row.cached_write,
      uncached: row.uncached,
      output: row.output,
    },
    compared: {
      turns: row.compared,
      bytes: row.compared_bytes,
      uncached: row.compared_uncached,
    },
  };
}
