/** Writes and reads which provider session continues a key, and which ones are retired. */

import type { Pin } from "@reprise/core/session/pin";
import { resolvedPin, storedPin } from "@reprise/core/session/places";
import type { Retirement } from "../../contract/sessions.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/event.ts";
import { fromJson } from "../json.ts";
import type { ClaimedTurnRow } from "../turns/require-claim.ts";

export function* writePin(
  db: Db,
  { key, agent, id, stream }: Pick<ClaimedTurnRow, "key" | "agent" | "id" | "stream">,
  pin: Pin,
  at: number,
): Query<void> {
  const { provider } = pin;
  const handle = pin.handle.id;
  yield* db.run(
    `INSERT INTO pin (key, agent, provider, handle, data)
     VALUES (:key, :agent, :provider, :handle, :data)
     ON CONFLICT (key, agent) DO UPDATE
     SET provider = excluded.provider, handle = excluded.handle, data = excluded.data,
       version = pin.version + 1`,
    { key, agent, provider, handle, data: JSON.stringify(storedPin(pin, db.home)) },
  );
  yield* appendEvent(
    db,
    stream,
    { type: "session.pinned", data: { turn: id, agent, provider, handle } },
    at,
  );
}

export function pinFrom({ home }: Pick<Db, "home">, data: string): Pin {
  return resolvedPin(fromJson<Pin>(data), home);
}

/** Keeps the first reason. */
export function* retireHandle(
  db: Db,
  { stream }: ClaimedTurnRow,
  { provider, handle, reason }: Retirement,
  at: number,
): Query<void> {
  const retired = yield* db.change(
    `INSERT INTO retired_handle (provider, handle, reason, at)
     VALUES (:provider, :handle, :reason, :at)
     ON CONFLICT (provider, handle) DO NOTHING`,
    { provider, handle, reason, at },
  );
  if (retired > 0)
    yield* appendEvent(
      db,
      stream,
      { type: "handle.retired", data: { provider, handle, reason } },
      at,
    );
}
