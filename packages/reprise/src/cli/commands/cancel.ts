/** `reprise cancel`: ends a run, or one turn, and its processes. */

import type { Reprise, RunView, TurnResult } from "@reprise/core/api/reprise";
import { NotFoundError, RepriseError } from "@reprise/core/errors/errors";
import { userName } from "@reprise/engine/engine";
import type { Cli } from "../cli.ts";
import { runState } from "../format/run.ts";
import { nothingNamed } from "../nothing-named.ts";

export async function run(
  cli: Cli,
  what: string,
  { by = userName(cli.env), ownerGone }: { readonly by?: string; readonly ownerGone?: boolean },
): Promise<number> {
  const cancelled = await cli.withReprise((reprise) =>
    ownerGone ? reprise.turns.cancel(what, { by, ownerGone }) : cancel(reprise, what, by),
  );
  const done = isCancelled(cancelled);
  if (cli.json) cli.document(cancelled);
  else if ("session" in cancelled) cli.out.line(outcomeOf(cancelled));
  else if (done) cli.out.line(`Run ${cancelled.id} is ${runState(cancelled)}.`);
  else
    cli.out.line(
      `Run ${cancelled.id} has already ended: ${runState(cancelled)}. Nothing was cancelled.`,
    );
  return done ? 0 : 1;
}

/** False when it had already ended otherwise. A run may still be ending its processes. */
function isCancelled(cancelled: RunView | TurnResult): boolean {
  if ("session" in cancelled) return ["cancelled", "interrupted"].includes(cancelled.turn.status);
  return !["done", "failed", "rejected"].includes(cancelled.status);
}

/** The turn, and whether this call cancelled it. */
function outcomeOf({ turn, session, notices }: TurnResult): string {
  const before = notices.find(({ code }) => code === "already-ended");
  return before?.text ?? `Turn ${turn.id} of ${session.key} is ${turn.status}.`;
}

/** A run with exactly this id, else a turn or a key, else the only run whose id starts with it. */
async function cancel(
  { runs, turns }: Reprise,
  what: string,
  by: string,
): Promise<RunView | TurnResult> {
  const run = await runs.show(what).catch(refusal);
  if ("id" in run && run.id === what) return runs.cancel({ run: what, by });
  const turn = await turns.why(what).catch(refusal);
  // For a key this is the running turn, not the last one.
  if ("turn" in turn) return turns.cancel(what, { by });
  if ("id" in run) return runs.cancel({ run: run.id, by });
  if (!(run instanceof NotFoundError)) throw run;
  if (!(turn instanceof NotFoundError)) throw turn;
  throw nothingNamed(what);
}

/** The error that Reprise reported; an unexpected one is thrown again. */
function refusal(error: unknown): RepriseError {
  if (error instanceof RepriseError) return error;
  throw error;
}
