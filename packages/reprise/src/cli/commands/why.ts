/** `reprise why`: shows the decision and the result of a turn, or of every turn of a run. */

import type { Reprise, RunDetail, TurnResult } from "@reprise/core/api/reprise";
import { NotFoundError } from "@reprise/core/errors/errors";
import type { EventOf } from "@reprise/workflow/run/event";
import type { Cli } from "../cli.ts";
import {
  badge,
  circumstances,
  marked,
  noticeLines,
  reasonPieces,
  verdictTable,
  wholeNoticeLines,
} from "../format/outcome.ts";
import { runHeadline } from "../format/run.ts";
import { fitLine, oneLine } from "../format/text.ts";
import { nothingNamed } from "../nothing-named.ts";

export async function run(cli: Cli, what: string): Promise<number> {
  const found = await cli.withReprise((reprise) => find(reprise, what));
  if (cli.json) cli.document(found);
  else if ("turns" in found) printRun(cli, found);
  else printTurn(cli, found);
  return 0;
}

interface RunTurns {
  readonly run: RunDetail;
  readonly turns: readonly { readonly execution: string; readonly turn: TurnResult }[];
}

/** Tries a turn or a key first, then a run. */
async function find(reprise: Reprise, what: string): Promise<TurnResult | RunTurns> {
  try {
    return await reprise.turns.why(what);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const run = await reprise.runs.show(what).catch((error) => {
      throw error instanceof NotFoundError ? nothingNamed(what) : error;
    });
    return { run, turns: await turnsOf(reprise, run.id) };
  }
}

/** All turns of the run in order, including further attempts and repeated prompts. */
async function turnsOf(reprise: Reprise, run: string): Promise<RunTurns["turns"]> {
  const turns = [];
  for await (const { type, data } of reprise.runs.events(run, { follow: false })) {
    if (type !== "node.started" && type !== "node.asked") continue;
    const { execution, turn: id } = data as EventOf<"node.started" | "node.asked">;
    const turn = id === undefined ? null : await opened(reprise, id);
    if (turn) turns.push({ execution, turn });
  }
  return turns;
}

/** Null when the node failed before its turn was opened. */
function opened(reprise: Reprise, turn: string): Promise<TurnResult | null> {
  return reprise.turns.why(turn).catch((error) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
}

function printRun({ out, now }: Cli, { run, turns }: RunTurns): void {
  out.line(runHeadline(out, run, now()));
  for (const { execution, turn } of turns) {
    out.line(`${out.paint("bold", execution)}: ${badge(out, turn)}`);
    for (const line of noticeLines(out, turn.notices)) out.line(`  ${line}`);
  }
  if (turns.length === 0) out.line("No agent has run in it.");
}

function printTurn(cli: Cli, result: TurnResult): void {
  const { out } = cli;
  const { turn, session, decision, attempts, error } = result;
  out.line(badge(out, result));
  const facts = [
    `turn ${turn.id} · ${turn.status} · agent ${session.agent}`,
    ...(result.access === null ? [] : [`access ${result.access}`]),
  ];
  out.line(out.paint("dim", facts.join(" · ")));
  if (decision) out.line(out.paint("dim", circumstances(decision)));
  if (attempts.length > 1) for (const line of attemptLines(cli, result)) out.line(line);
  for (const line of wholeNoticeLines(out, [...(decision?.notices ?? []), ...result.notices]))
    out.line(line);
  if (error)
    for (const line of marked(out, out.paint("red", "✗"), `${error.message} ${error.hint}`))
      out.line(line);
  if (decision) {
    out.line();
    for (const line of verdictTable(out, decision.verdicts)) out.line(line);
  }
}

function attemptLines({ out }: Cli, { attempts }: TurnResult): string[] {
  return attempts.map(({ number, decision, ending, error }) => {
    const end = error ? `${ending ?? "not ended"}: ${oneLine(error.message)}` : ending;
    const pieces = [`attempt ${number}: ${decision.outcome} · `, ...reasonPieces(decision)];
    return fitLine([...pieces, " · ", { value: end ?? "not ended" }], out.width);
  });
}
