/** Checks that a session exists, is not in use and is not held. */

import { BusyError, NotFoundError, RefusedError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import type { Session } from "../../contract/sessions.ts";
import type { Db, Query } from "../db.ts";
import { firstInQueue } from "../turns/queue.ts";
import { readSession } from "./read-sessions.ts";

/** @throws NotFoundError */
export function* requireSession(db: Db, key: string): Query<Session> {
  const session = yield* readSession(db, key);
  if (session) return session;
  throw new NotFoundError(
    "no-session",
    `There is no session ${key}.`,
    `List the sessions with ${verb("sessions.list")}.`,
  );
}

/** @throws BusyError while it has an open turn. */
export function* requireFree(db: Db, { key }: Session): Query<void> {
  const open = yield* firstInQueue(db, key);
  if (open)
    throw new BusyError(
      "busy",
      `Session ${key} is in use by turn ${open.id}.`,
      "Wait until the turn has ended, or cancel it.",
    );
}

/** @throws RefusedError `held` */
export function requireReleased({ key, held }: Session, otherwise = ""): void {
  const [first] = held;
  if (first === undefined) return;
  const holders = held.map(({ by, reason }) => (reason === null ? by : `${by} (${reason})`));
  throw new RefusedError(
    "held",
    `Session ${key} is held by ${holders.join(", ")}.`,
    `Release it with ${verb("sessions.release", { key, by: first.by })}${otherwise}.`,
  );
}

/** The session has changed since the caller read it. */
export function changedError(key: string): RefusedError {
  return new RefusedError(
    "changed",
    `Session ${key} was used, archived or revived meanwhile.`,
    `See ${verb("sessions.show", key)}, then try again.`,
  );
}
