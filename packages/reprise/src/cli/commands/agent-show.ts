/** `reprise agent show`: one agent, or with `--class` one class, with its settings. */

import type { AgentClassView, AgentView } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";
import { fields } from "../format/table.ts";
import { ago } from "../format/text.ts";

export async function run(
  cli: Cli,
  name: string,
  options: { readonly class?: boolean },
): Promise<number> {
  const shown: AgentClassView & Partial<AgentView> = await cli.withReprise(({ agents }) =>
    options.class ? agents.showClass(name) : agents.show(name),
  );
  if (cli.json) {
    cli.document(shown);
    return 0;
  }
  const lines = fields(cli.out, [
    ["name", shown.name],
    ["provider", shown.provider],
    ["kind", shown.kind],
    ["model", shown.model ?? "the provider's default"],
    ["folder", shown.folder ?? "where the command is run"],
    ["access", shown.access],
    ["commands", shown.allowedCommands.join(", ") || null],
    ["on denied", shown.onDenied === "note" ? null : shown.onDenied],
    ["class", shown.class ?? null],
    ["sessions", shown.sessions ?? null],
    ...Object.entries(shown.settings).map(([key, value]) => [`set ${key}`, value] as const),
    ["created", ago(shown.createdAt, cli.now())],
  ]);
  for (const line of lines) cli.out.line(line);
  return 0;
}
