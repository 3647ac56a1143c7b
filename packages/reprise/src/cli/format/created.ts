/** Describes a session that was forked or imported. */

import type { CreatedSession } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { noticeLines } from "./outcome.ts";
import { amount } from "./text.ts";

/** Prints the new session, and what its first turn will do, as far as that is known before it is sent. */
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
