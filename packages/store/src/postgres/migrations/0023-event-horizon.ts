/**
 * Events become visible however long a transaction of another database of the server is open.
 *
 * Events are numbered by their transaction, and a reader must never pass over a number that can still appear. So it
 * stops before the lowest transaction that is in progress in this database. Numbers of transactions belong to the
 * whole server, which is why they are first compared with the database of each connection:
 *
 * 1. `note_event_horizon` takes the number after the last transaction that has ended. Each lower number was given
 *    before, and the server lists its transaction as one in progress from then until it ends.
 * 2. It lowers that number to the lowest one that is then in progress in this database. What is not listed any more
 *    has ended. The numbers of transactions, unlike their statements, are shown to every user.
 * 3. The next statement reads with a later snapshot, so it sees all that had ended in 2. A transaction that begins
 *    meanwhile gets a number that is not below that of 1.
 *
 * A transaction that is being prepared is listed as prepared before its connection stops listing it, so those are
 * read last. Processes of the server itself, such as autovacuum, have no user, and append no events.
 */

export const eventHorizon = `
  -- Has to be the first statement of its transaction, because the server keeps the list until its end.
  CREATE FUNCTION note_event_horizon() RETURNS VOID LANGUAGE plpgsql AS $$
    DECLARE
      base BIGINT := (SELECT event_base FROM incarnation);
      ended BIGINT := pg_snapshot_xmax(pg_current_snapshot())::TEXT::BIGINT;
      behind BIGINT := 0;
    BEGIN
      IF pg_snapshot_xmin(pg_current_snapshot())::TEXT::BIGINT < ended THEN
        behind := greatest(behind, (
          SELECT max(transactions_behind(ended, backend_xid)) FROM pg_stat_activity
          WHERE datname = current_database() AND usesysid IS NOT NULL));
        behind := greatest(behind, (
          SELECT max(transactions_behind(ended, transaction)) FROM pg_prepared_xacts
          WHERE database = current_database()));
      END IF;
      PERFORM set_config('reprise.event_horizon', (base + (ended - behind) * 4096)::TEXT, true);
    END
  $$;

  -- How far a transaction, of whose number only the lower half is listed, is behind another one.
  CREATE FUNCTION transactions_behind(number BIGINT, listed XID) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT (number % 4294967296 - listed::TEXT::BIGINT + 6442450944) % 4294967296 - 2147483648
  $$;

  -- Below this number no event can appear any more.
  CREATE OR REPLACE FUNCTION visible_events() RETURNS BIGINT LANGUAGE sql STABLE AS $$
    SELECT current_setting('reprise.event_horizon')::BIGINT
  $$;
`;
