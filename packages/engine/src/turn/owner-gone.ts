/** Interrupts a turn because a person says that its owner is gone, where Reprise cannot see the owner. */

import { BusyError, FencedError, TerminalError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { ownerText } from "@reprise/core/session/owner-text";
import { openStatuses, type Turn } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";
import { seen } from "../hosts.ts";
import { takeOver } from "./acquire.ts";
import { finishUnlaunched, runTurn } from "./run-turn.ts";

/**
 * If the spool already has an answer, the turn is settled with it.
 * @throws BusyError `owner-lives` if the owner is alive; @throws TerminalError `not-open`
 */
export async function endOwnerless(engine: Engine, turn: Turn, by: string | null): Promise<Turn> {
  const { id, owner } = turn;
  if (!openStatuses.includes(turn.status) || turn.status === "waiting" || owner === null)
    throw new TerminalError(
      "not-open",
      `Turn ${id} is ${turn.status}, and no process owns it.`,
      "There is nothing to do.",
    );
  if (seen(owner) === "lives")
    throw new BusyError(
      "owner-lives",
      `Turn ${id} is owned by ${ownerText(owner)}, which is alive.`,
      `Cancel it without ${option("ownerGone")}, or end that process first.`,
    );
  const claimed = await takeOver(engine, turn);
  if (claimed === null) throw new FencedError(id);
  const attempt = claimed.record.attempts.at(-1);
  const launched = attempt?.launch && attempt.ending === null ? attempt : null;
  const ended =
    launched && (await engine.launcher.state({ turn: id, attempt: launched.number })) === "ended";
  if (ended) return runTurn(engine, claimed, {});
  const interrupted = await finishUnlaunched(engine, claimed, "interrupted", {
    code: "owner-gone",
    message: `${by ?? "A person"} reported that ${ownerText(owner)}, the owner of turn ${id}, is gone.`,
    hint: "Check what the agent did, then send it again.",
  });
  return interrupted.turn;
}
