/** A session that came about without a turn, in words. */

import type { CreatedSession } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { amount } from "./amount.ts";
import { noticeLines } from "./outcome.ts";

/** Prints what came about, and what its first turn does; where that is sent from is still open. */
export function printCreated(cli: Cli, how: string, session: CreatedSession): void {
  if (cli.json) {
    cli.document(session);
    return;
  }
  const { key, agent, provider, messages, next } = session;
  cli.out.line(
    `${how} session ${key} of ${agent} (${provider}) with ${amount(messages, "message")}; its first turn ${next === "resume" ? "can resume" : `will ${next}`}.`,
  );
  for (const line of noticeLines(cli.err, session.notices)) cli.remark(line);
}
