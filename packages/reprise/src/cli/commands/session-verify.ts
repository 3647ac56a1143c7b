/** `reprise session verify`: checks that a session's three copies agree; exit code 1 when one differs. */

import type { Reprise, Verification } from "@reprise/core/api/reprise";
import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";
import { marked } from "../format/outcome.ts";
import { table } from "../format/table.ts";

const page = 200;

export async function run(cli: Cli, argument: string | undefined): Promise<number> {
  const key = argument === undefined ? null : sessionKey(argument);
  const verifications = await cli.withReprise(async (reprise) =>
    key === null ? verifyAll(reprise) : reprise.sessions.verify(key),
  );
  if (cli.json) cli.document(verifications);
  else print(cli, verifications);
  return verifications.every(({ sound }) => sound) ? 0 : 1;
}

async function verifyAll({ sessions }: Reprise): Promise<Verification[]> {
  const verifications: Verification[] = [];
  for (let after: string | undefined; ; ) {
    const found = await sessions.list({ limit: page, ...(after && { after }) });
    for (const { key } of found) verifications.push(...(await sessions.verify(key)));
    if (found.length < page) return verifications;
    after = found.at(-1)!.key;
  }
}

function checkpointCell({ checkpoint, checkpoints: { kept, whole } }: Verification): string {
  return kept === 0 ? checkpoint : `${checkpoint}, ${whole} of ${kept} usable`;
}

/** The transcript may have lost messages that the provider session was given. */
export function messagesCell({
  transcript: { messages, given },
}: Pick<Verification, "transcript">) {
  return given > messages ? `${messages}, ${given} given before` : `${given} of ${messages} given`;
}

function print(cli: Cli, verifications: readonly Verification[]): void {
  const { out } = cli;
  if (verifications.length === 0) {
    cli.remark("There are no sessions to verify.");
    return;
  }
  const lines = table<Verification>(
    out,
    [
      {
        title: "",
        cell: ({ sound }) => (sound ? "✓" : "✗"),
        style: ({ sound }) => (sound ? "green" : "red"),
      },
      { title: "KEY", cell: ({ key }) => key, style: () => "bold", shrink: "middle" },
      { title: "AGENT", cell: ({ agent }) => agent, shrink: "middle" },
      { title: "HISTORY", cell: ({ history }) => history },
      { title: "CHECKPOINT", cell: checkpointCell },
      {
        title: "MESSAGES",
        cell: messagesCell,
      },
    ],
    verifications,
  );
  for (const line of lines) out.line(line);
  for (const { key, findings, sound } of verifications)
    for (const finding of findings) {
      const mark = sound ? out.paint("yellow", "!") : out.paint("red", "✗");
      for (const line of marked(out, mark, `${key}: ${finding}`)) out.line(line);
    }
}
