/** `reprise session explain`: what a turn would decide now. */

import type { Cli } from "../cli.ts";
import { circumstances, decisionLine, noticeLines, verdictTable } from "../format/outcome.ts";
import { type ContinuityOptions, continuityRequest } from "../input/turn.ts";

export async function run(cli: Cli, key: string, options: ContinuityOptions): Promise<number> {
  const request = continuityRequest(cli.cwd, key, options);
  const explanation = await cli.withReprise((reprise) => reprise.sessions.explain(request));
  if (cli.json) {
    cli.document(explanation);
    return 0;
  }
  const { out } = cli;
  const { decision, agent, provider, heldBy } = explanation;
  const groups = [["next turn of ", { value: explanation.key }], [`${agent} (${provider})`]];
  out.line(decisionLine(out, decision, groups));
  out.line(out.paint("dim", circumstances(decision)));
  if (decision.error) out.line(out.hint(`${decision.error.message} ${decision.error.hint}`));
  for (const line of noticeLines(out, decision.notices)) out.line(line);
  if (heldBy) {
    const process = heldBy.pid === null ? "" : `, process ${heldBy.pid}`;
    out.line(`In use by turn ${heldBy.turn} (${heldBy.status}${process}).`);
  }
  out.line();
  for (const line of verdictTable(out, decision.verdicts)) out.line(line);
  return 0;
}
