/** When questions were asked and answered, so that they can be listed. */

export const questionTimes = `
-- When a turn asked its question, and when and by whom it was answered.
ALTER TABLE turn ADD COLUMN asked_at BIGINT;
ALTER TABLE turn ADD COLUMN answered_at BIGINT;
ALTER TABLE turn ADD COLUMN answered_by TEXT;
UPDATE turn SET asked_at = coalesce(
    (SELECT max(ended_at) FROM attempt WHERE attempt.turn = turn.id AND ending = 'asked'),
    opened_at)
  WHERE asked IS NOT NULL;
UPDATE turn SET answered_at = asked_at WHERE answer IS NOT NULL;
UPDATE turn SET answered_at = event.at, answered_by = event.data ->> 'by'
  FROM event
  WHERE answer IS NOT NULL AND event.stream = 'session:' || turn.key
    AND event.type = 'turn.answered' AND event.data ->> 'turn' = turn.id
    AND event.at >= asked_at;
CREATE INDEX turn_asked ON turn (asked_at, id) WHERE asked_at IS NOT NULL;
CREATE INDEX turn_waiting ON turn (asked_at, id) WHERE status = 'waiting';

-- The last event of a run has its seq and its time.
ALTER TABLE run DROP COLUMN seq;
ALTER TABLE run DROP COLUMN updated_at;
`;
