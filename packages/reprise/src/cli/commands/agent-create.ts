/** `reprise agent create`. */

import { resolve } from "node:path";
import type { CreateAgent } from "@reprise/core/api/reprise";
import type { Cli } from "../cli.ts";

interface CreateOptions {
  readonly provider: string;
  readonly class?: string;
  readonly kind?: "interactive" | "background";
  readonly model?: string;
  readonly folder?: string;
  readonly sessions?: "default" | "resume" | "fresh";
  readonly set?: Record<string, string>;
}

export async function run(cli: Cli, name: string, options: CreateOptions): Promise<number> {
  const { provider, kind, model, folder, sessions, set } = options;
  const request: CreateAgent = {
    name,
    provider,
    class: options.class ?? null,
    model: model ?? null,
    folder: folder === undefined ? null : resolve(cli.cwd, folder),
    ...(kind && { kind }),
    ...(sessions && { sessions }),
    ...(set && { settings: set }),
  };
  const agent = await cli.withReprise((reprise) => reprise.agents.create(request));
  if (cli.json) cli.document(agent);
  else {
    cli.out.line(`Created agent ${agent.name} (${agent.provider}).`);
    cli.remark(`Next: reprise sessions send my-task "Hello." --agent ${agent.name}`);
  }
  return 0;
}
