/** `reprise agent show`: one agent with its settings. */

import type { Cli } from "../cli.ts";
import { fields } from "../format/table.ts";
import { ago } from "../format/time.ts";

export async function run(cli: Cli, name: string): Promise<number> {
  const agent = await cli.withReprise((reprise) => reprise.agents.show(name));
  if (cli.json) {
    cli.document(agent);
    return 0;
  }
  const lines = fields(cli.out, [
    ["name", agent.name],
    ["provider", agent.provider],
    ["kind", agent.kind],
    ["class", agent.class],
    ["model", agent.model ?? "the provider's default"],
    ["folder", agent.folder ?? "where the command is run"],
    ["sessions", agent.sessions],
    ...Object.entries(agent.settings).map(([key, value]) => [`set ${key}`, value] as const),
    ["created", ago(agent.createdAt, cli.now())],
  ]);
  for (const line of lines) cli.out.line(line);
  return 0;
}
