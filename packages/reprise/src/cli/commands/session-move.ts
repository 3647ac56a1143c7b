/** `reprise session move`: moves a session to another folder or home of its agent; the next turn resumes. */

import { resolve } from "node:path";
import { UsageError } from "@reprise/core/errors/errors";
import { sessionKey } from "@reprise/core/session/key";
import type { Cli } from "../cli.ts";
import { noticeLines } from "../format/outcome.ts";

export async function run(
  cli: Cli,
  argument: string,
  { folder, home }: { readonly folder?: string; readonly home?: string },
): Promise<number> {
  const key = sessionKey(argument);
  if (!folder && !home)
    throw new UsageError(
      "no-destination",
      `No destination was given for session ${key}.`,
      "Name a folder with --folder, or a home of its agent with --home.",
    );
  const moved = await cli.withReprise(({ sessions }) =>
    sessions.move({
      key,
      folder: folder ? resolve(cli.cwd, folder) : null,
      home: home ? resolve(cli.cwd, home) : null,
    }),
  );
  if (cli.json) cli.document(moved);
  else {
    cli.out.line(`Session ${key} works in ${moved.folder}; its files are in ${moved.place}.`);
    for (const line of noticeLines(cli.err, moved.notices)) cli.remark(line);
  }
  return 0;
}
