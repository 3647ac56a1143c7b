/** `reprise session open`: opens a session in the agent's own program, in this terminal. */

import type { OpenedSession, Progress } from "@reprise/core/api/reprise";
import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";
import { noticeLines } from "../format/outcome.ts";
import { amount } from "../format/text.ts";
import { reportError } from "../report.ts";
import { rememberTerminal } from "../terminal.ts";
import { cancellable } from "../turn-run.ts";

/** Higher exit codes mean a signal: the killed program has not reset the terminal. */
const killed = 128;

export async function run(cli: Cli, argument: string): Promise<number> {
  const key = sessionKey(argument);
  cli.requireOwnDatabase("session open", `Send to the session: reprise send ${key} PROMPT`);
  const restoreTerminal = rememberTerminal(cli);
  return cancellable(cli, async ({ signal, exitCode, handOver }) => {
    const onProgress = ({ type }: Progress) => {
      if (type === "waiting") cli.remark(`Session ${key} is in use; waiting for its turn.`);
      if (type !== "launched") return;
      cli.remark(
        `Opening session ${key} in its agent's own program. The conversation is imported when the program ends.`,
      );
      handOver();
    };
    try {
      return await cli.withHome(async ({ reprise: { sessions } }) => {
        const opened = await sessions.open(key, { signal, onProgress });
        if (opened.exit > killed) restoreTerminal();
        if (cli.json) cli.document(opened);
        else for (const line of report(cli, opened)) cli.remark(line);
        return opened.exit;
      });
    } catch (error) {
      const code = reportError(cli, error);
      return exitCode() ?? code;
    }
  });
}

function report(cli: Cli, opened: OpenedSession): string[] {
  const { key, provider, exit, messages, takenBack, notices } = opened;
  return [
    ...(exit === 0 ? [] : [`${provider} ended with exit code ${exit}.`]),
    ...(messages + takenBack === 0 ? [`There is nothing new in session ${key}.`] : []),
    ...(messages === 0
      ? []
      : [
          `Imported ${amount(messages, "message")} into session ${key}; its next turn continues from there.`,
        ]),
    ...noticeLines(cli.err, notices),
  ];
}
