/** `reprise sessions open`: the agent's own program on a session, in this terminal. */

import { sessionKey } from "@reprise/core/session/key";
import { cancellable } from "../cancel.ts";
import type { Cli } from "../cli.ts";
import { amount } from "../format/amount.ts";
import { noticeLines } from "../format/outcome.ts";

export async function run(cli: Cli, argument: string): Promise<number> {
  const key = sessionKey(argument);
  return cancellable(cli, async ({ signal }) => {
    const opened = await cli.withReprise(({ sessions }) =>
      sessions.open(key, {
        signal,
        onProgress: ({ type }) => {
          if (type === "waiting") cli.remark(`Session ${key} is in use; waiting for its turn.`);
        },
      }),
    );
    if (cli.json) cli.document(opened);
    else {
      cli.remark(
        opened.messages === 0
          ? "Nothing was typed that the session keeps."
          : `Imported ${amount(opened.messages, "message")} into session ${key}.`,
      );
      for (const line of noticeLines(cli.err, opened.notices)) cli.remark(line);
    }
    return opened.exit;
  });
}
