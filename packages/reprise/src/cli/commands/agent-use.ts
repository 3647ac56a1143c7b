/** `reprise agent use`: the agent of new sessions in a folder, kept in the user's own settings. */

import { UsageError } from "@reprise/core/errors/errors";
import { defaultAgentIn } from "@reprise/core/session/policy";
import type { Cli } from "../cli.ts";

interface UseOptions {
  readonly folder?: string;
  readonly everywhere?: boolean;
  readonly none?: boolean;
}

export async function run(
  cli: Cli,
  name: string | undefined,
  { folder: given, everywhere = false, none = false }: UseOptions,
): Promise<number> {
  if (name !== undefined && none)
    throw new UsageError(
      "set-and-unset",
      `Agent ${name} was named together with --none.`,
      "Use only one of the two.",
    );
  const { workFolder } = await import("@reprise/engine/turn/observe");
  const folder = workFolder(given ?? ".", cli.cwd);
  if (name === undefined && !none) return show(cli, folder);

  const [{ configFile }, { setEntry, setSetting, unsetSetting }] = await Promise.all([
    import("@reprise/engine/config"),
    import("@reprise/engine/config-file"),
  ]);
  if (name !== undefined) await cli.withReprise(({ agents }) => agents.show(name));
  const file = configFile("user", cli);
  const agent = name ?? null;
  if (!everywhere) await setEntry(file, "folderAgents", folder, agent);
  else if (agent === null) await unsetSetting(file, "defaultAgent");
  else await setSetting(file, "defaultAgent", agent);

  const where = everywhere ? "all folders without a choice of their own" : `${folder} and below`;
  if (cli.json) cli.document({ agent, folder: everywhere ? null : folder, file });
  else if (agent === null) cli.out.line(`New sessions in ${where} have no default agent now.`);
  else {
    cli.out.line(`New sessions in ${where} use agent ${agent}.`);
    cli.remark('Next: reprise send my-task "Hello."');
  }
  return 0;
}

async function show(cli: Cli, folder: string): Promise<number> {
  const { readSettings } = await import("@reprise/engine/config");
  const { values } = await readSettings({ flags: {}, env: cli.env, cwd: cli.cwd });
  const agent = defaultAgentIn(folder, values);
  if (cli.json) cli.document({ agent, folder });
  else if (agent === null)
    cli.remark(`No agent is chosen for ${folder}. Choose one: reprise agent use NAME`);
  else cli.out.line(agent);
  return 0;
}
