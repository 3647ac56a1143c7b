/** `reprise why`: what was decided for a turn, and what became of it. */

import type { TurnResult } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { fitLine } from "../format/fit.ts";
import {
  badge,
  circumstances,
  marked,
  noticeLines,
  reasonPieces,
  verdictTable,
} from "../format/outcome.ts";
import { oneLine } from "../format/text.ts";

export async function run(cli: Cli, turnOrKey: string): Promise<number> {
  const result = await cli.withReprise((reprise) => reprise.turns.why(turnOrKey));
  if (cli.json) {
    cli.document(result);
    return 0;
  }
  const { out } = cli;
  const { turn, session, decision, attempts, error } = result;
  out.line(badge(out, result));
  out.line(out.paint("dim", `turn ${turn.id} · ${turn.status} · agent ${session.agent}`));
  if (decision) out.line(out.paint("dim", circumstances(decision)));
  if (attempts.length > 1) for (const line of attemptLines(cli, result)) out.line(line);
  for (const line of noticeLines(out, [...(decision?.notices ?? []), ...result.notices]))
    out.line(line);
  if (error)
    for (const line of marked(out, out.paint("red", "✗"), `${error.message} ${error.hint}`))
      out.line(line);
  if (decision) {
    out.line();
    for (const line of verdictTable(out, decision.verdicts)) out.line(line);
  }
  return 0;
}

function attemptLines({ out }: Cli, { attempts }: TurnResult): string[] {
  return attempts.map(({ number, decision, ending, error }) => {
    const end = error ? `${ending ?? "not ended"}: ${oneLine(error.message)}` : ending;
    const pieces = [`attempt ${number}: ${decision.outcome} · `, ...reasonPieces(decision)];
    return fitLine([...pieces, " · ", { value: end ?? "not ended" }], out.width);
  });
}
