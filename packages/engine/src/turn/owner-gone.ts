/** A person's word that the owner of a turn is gone, where Reprise cannot see it: the turn is interrupted. */

import { BusyError, FencedError, TerminalError } from "@reprise/core/errors/errors";
import { ownerText } from "@reprise/core/session/owner-text";
import { openStatuses, type Turn } from "@reprise/core/session/turn";
import { presence } from "@reprise/providers/launch/process";
import type { Engine } from "../engine.ts";
import { finishUnlaunched, runTurn } from "./run-turn.ts";

/**
 * An answer that is in the spool is taken all the same.
 * @throws BusyError `owner-lives` when its owner is seen to live; @throws TerminalError `not-open`
 */
export async function endOwnerless(engine: Engine, turn: Turn, by: string | null): Promise<Turn> {
  const { id, owner, token } = turn;
  if (!openStatuses.includes(turn.status) || turn.status === "waiting" || owner === null)
    throw new TerminalError(
      "not-open",
      `Turn ${id} is ${turn.status}, and no process owns it.`,
      "Nothing to do.",
    );
  if (presence(owner) === "lives")
    throw new BusyError(
      "owner-lives",
      `Turn ${id} belongs to ${ownerText(owner)}, which lives.`,
      `Cancel it without --owner-gone, or end that process first.`,
    );
  const taken = await engine.store.takeOver({ turn: id, token, owner: engine.owner });
  if (taken === null) throw new FencedError(id);
  const claimed = {
    turn: id,
    token: taken,
    record: { ...turn, owner: engine.owner, token: taken },
  };
  const attempt = turn.attempts.at(-1);
  const launched = attempt?.launch && attempt.ending === null ? attempt : null;
  const ended =
    launched && (await engine.launcher.state({ turn: id, attempt: launched.number })) === "ended";
  if (ended) return runTurn(engine, claimed, {});
  await finishUnlaunched(engine, claimed, "interrupted", {
    code: "owner-gone",
    message: `${by ?? "A person"} said that ${ownerText(owner)} is gone, which had turn ${id}.`,
    hint: "See what the agent did, then send it again.",
  });
  return { ...turn, ...(await engine.store.readTurn(id)) };
}
