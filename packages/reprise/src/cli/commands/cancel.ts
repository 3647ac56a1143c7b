/** `reprise cancel`: ends a run, or one turn, and its processes. */

import type { Reprise, RunView, TurnResult } from "@reprise/core/api/reprise";
import { NotFoundError, RepriseError } from "@reprise/core/errors/errors";
import type { Cli } from "../cli.ts";
import { runState } from "../format/run.ts";
import { nothingNamed } from "../nothing-named.ts";
import { userName } from "../user-name.ts";

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

/** False when it had ended before, and in another way. A run may still be ending its processes. */
function isCancelled(cancelled: RunView | TurnResult): boolean {
  if ("session" in cancelled) return ["cancelled", "interrupted"].includes(cancelled.turn.status);
  return !["done", "failed", "rejected"].includes(cancelled.status);
}

/** Which turn it was, and whether it was cancelled now. */
function outcomeOf({ turn, session, notices }: TurnResult): string {
  const before = notices.find(({ code }) => code === "already-ended");
  return before?.text ?? `Turn ${turn.id} of ${session.key} is ${turn.status}.`;
}

/** A run of this very name, else a turn or a key, else the only run whose id begins so. */
async function cancel(
  { runs, turns }: Reprise,
  what: string,
  by: string,
): Promise<RunView | TurnResult> {
  const run = await runs.show(what).catch(refusal);
  if ("id" in run && run.id === what) return runs.cancel({ run: what, by });
  const turn = await turns.why(what).catch(refusal);
  // Of a key it is the turn that runs, and not the last one.
  if ("turn" in turn) return turns.cancel(what, { by });
  if ("id" in run) return runs.cancel({ run: run.id, by });
  if (!(run instanceof NotFoundError)) throw run;
  if (!(turn instanceof NotFoundError)) throw turn;
  throw nothingNamed(what);
}

/** What Reprise says instead; what it did not expect stays an error. */
function refusal(error: unknown): RepriseError {
  if (error instanceof RepriseError) return error;
  throw error;
}
