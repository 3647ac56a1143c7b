/** `reprise agent create`: an agent, or with `--class` alone a class. */

import { resolve } from "node:path";
import type { CreateAgent } from "@reprise/core/api/reprise";
import { UsageError } from "@reprise/core/errors/errors";
import type { Cli } from "../cli.ts";
import { refuseSessions } from "../input/class-sessions.ts";
import { type AccessOptions, accessRequest } from "../input/turn.ts";

interface CreateOptions extends AccessOptions {
  readonly provider?: string;
  /** True: what is created is a class. */
  readonly class?: string | true;
  readonly kind?: "interactive" | "background";
  readonly model?: string;
  readonly folder?: string;
  readonly sessions?: "default" | "resume" | "fresh";
  readonly set?: Record<string, string>;
}

export async function run(cli: Cli, name: string, options: CreateOptions): Promise<number> {
  if (options.class === true) return createClass(cli, name, options);
  const { provider, sessions } = options;
  if (provider === undefined && options.class === undefined)
    throw new UsageError(
      "no-provider-named",
      `Agent ${name} needs a provider, or a class that has one.`,
      "Name one with --provider or --class.",
    );
  const request: CreateAgent = {
    ...definition(cli, name, options),
    provider: provider ?? null,
    class: options.class ?? null,
    ...(sessions && { sessions }),
  };
  const agent = await cli.withHome(({ reprise }) => reprise.agents.create(request));
  if (cli.json) cli.document(agent);
  else {
    cli.out.line(`Created agent ${agent.name} (${agent.provider}, access ${agent.access}).`);
    cli.remark(`Next: reprise send my-task "Hello." --agent ${agent.name}`);
  }
  return 0;
}

async function createClass(cli: Cli, name: string, options: CreateOptions): Promise<number> {
  const { provider, sessions } = options;
  if (provider === undefined)
    throw new UsageError(
      "no-provider-named",
      `Class ${name} needs a provider.`,
      "Name one with --provider.",
    );
  refuseSessions(name, sessions);
  const request = { ...definition(cli, name, options), provider };
  const made = await cli.withHome(({ reprise }) => reprise.agents.createClass(request));
  if (cli.json) cli.document(made);
  else {
    cli.out.line(`Created class ${made.name} (${made.provider}, access ${made.access}).`);
    cli.remark(`Next: reprise agent create NAME --class ${made.name}`);
  }
  return 0;
}

function definition(cli: Cli, name: string, options: CreateOptions) {
  const { kind, model, folder, set } = options;
  return {
    name,
    model: model ?? null,
    folder: folder === undefined ? null : resolve(cli.cwd, folder),
    ...(kind && { kind }),
    ...accessRequest(options),
    ...(set && { settings: set }),
  };
}
