/** `reprise config path`: the files that settings are read from, in order of precedence. */

import { existsSync } from "node:fs";
import type { Cli } from "../cli.ts";
import { table } from "../format/table.ts";
import type { ScopeOptions } from "../input/config-scope.ts";

export async function run(cli: Cli, { user, project }: ScopeOptions): Promise<number> {
  const { configFile } = await import("@reprise/engine/config");
  const files = (["project", "user"] as const)
    .filter((scope) => (user ? scope === "user" : project ? scope === "project" : true))
    .map((scope) => ({ scope, file: configFile(scope, cli) }))
    .map(({ scope, file }) => ({ scope, file, exists: existsSync(file) }));
  if (cli.json) cli.document(files);
  // For scripts: the path and nothing else.
  else if (user || project) for (const { file } of files) cli.out.line(file);
  else
    for (const line of table(
      cli.out,
      [
        { title: "SCOPE", cell: ({ scope }) => scope, style: () => "bold" },
        { title: "THERE", cell: ({ exists }) => (exists ? "yes" : "no") },
        { title: "FILE", cell: ({ file }) => file, shrink: "middle" },
      ],
      files,
    ))
      cli.out.line(line);
  return 0;
}
