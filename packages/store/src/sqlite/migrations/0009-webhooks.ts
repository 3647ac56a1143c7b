/** Webhooks and their deliveries. */

export const webhooks = `
-- direction is outgoing or incoming; cursor: the last event that was considered for it.
CREATE TABLE webhook (
  id TEXT NOT NULL PRIMARY KEY,
  direction TEXT NOT NULL,
  cursor BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  url TEXT,
  events TEXT NOT NULL,
  secret TEXT NOT NULL
);

-- seq: the event to deliver. While state is due, there is a row webhook:<id> in due.
CREATE TABLE delivery (
  id TEXT NOT NULL PRIMARY KEY,
  webhook TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  type TEXT NOT NULL,
  state TEXT NOT NULL,
  tries BIGINT NOT NULL,
  status BIGINT,
  created_at BIGINT NOT NULL,
  tried_at BIGINT,
  next_at BIGINT,
  error TEXT
);
CREATE INDEX delivery_order ON delivery (webhook, seq);
`;
