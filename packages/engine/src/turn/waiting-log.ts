/** Writes what a turn waits for into the event log, for clients of a server and everything else that reads it. */

import { isDeepStrictEqual } from "node:util";
import type { Turn } from "@reprise/core/session/turn";
import type { TurnWaiting } from "@reprise/core/session/waiting";
import type { Engine } from "../engine.ts";

/** A shorter wait leaves no event, in milliseconds. */
const patience = 250;

export interface WaitingLog {
  record(waiting: TurnWaiting): void;
  stop(): void;
}

export function waitingLog(engine: Engine, { id, token }: Pick<Turn, "id" | "token">): WaitingLog {
  let latest: TurnWaiting | null = null;
  let timer: NodeJS.Timeout | undefined;
  const write = (waiting: TurnWaiting) =>
    // A turn that cannot record why it waits still waits: a full disk or another owner is reported elsewhere.
    engine.store.recordWaiting({ turn: id, token, waiting, at: engine.now() }).catch(() => {});
  return {
    record(waiting) {
      if (isDeepStrictEqual(waiting, latest)) return;
      latest = waiting;
      clearTimeout(timer);
      timer = setTimeout(write, patience, waiting);
    },
    stop: () => clearTimeout(timer),
  };
}
