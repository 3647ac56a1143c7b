/** `reprise mcp`: the sessions, runs and the inbox as tools for a program that speaks MCP over standard input and output. */

import type { Role } from "@reprise/core/api/role";
import { userName } from "@reprise/engine/engine";
import { answering, requireOutsideTurn } from "@reprise/engine/outside-turn";
import { mcpOverStdio } from "../../mcp/stdio.ts";
import { InFlight } from "../../server/in-flight.ts";
import type { Cli } from "../cli.ts";
import { cancellable } from "../turn-run.ts";

interface McpOptions {
  readonly role: Role;
  readonly by?: string;
}

export function run(cli: Cli, { role, by }: McpOptions): Promise<number> {
  if (role === "approver") requireOutsideTurn(answering);
  const serve = ({ signal }: { signal: AbortSignal }) =>
    cli.withReprise(async (reprise) => {
      const caller = { name: by ?? userName(cli.env), role };
      const context = { reprise, work: new InFlight(), caller, cwd: cli.cwd };
      await mcpOverStdio(context, { stdin: cli.stdin, stdout: cli.stdout, signal });
      return 0;
    });
  return cancellable(cli, serve, () => {});
}
