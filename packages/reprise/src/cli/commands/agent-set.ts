/** `reprise agent set`: changes an agent, from its sessions' next turns on. */

import { resolve } from "node:path";
import type { AgentView, SetAgent } from "@reprise/core/api/reprise";
import { UsageError } from "@reprise/core/errors/errors";
import type { Cli } from "../cli.ts";

interface SetOptions {
  readonly kind?: AgentView["kind"];
  readonly model?: string;
  readonly folder?: string;
  readonly sessions?: AgentView["sessions"];
  readonly set?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
}

export async function run(cli: Cli, name: string, options: SetOptions): Promise<number> {
  const request = requestOf(cli, name, options);
  const { before, after } = await cli.withHome(async ({ reprise: { agents } }) => ({
    before: await agents.show(name),
    after: await agents.set(request),
  }));
  if (cli.json) {
    cli.document(after);
    return 0;
  }
  const changed = changes(before, after);
  if (changed.length === 0) cli.out.line(`Agent ${name} is like that already.`);
  else {
    cli.out.line(`Changed agent ${name}: ${changed.join(", ")}.`);
    cli.remark("Next: reprise sessions explain KEY tells whether a session of it still resumes.");
  }
  return 0;
}

/** `model` and `folder` are no settings of a provider, but are taken away like one. */
function requestOf(cli: Cli, name: string, options: SetOptions): SetAgent {
  const { kind, model, folder, sessions, set = {}, unset = [] } = options;
  const named = {
    ...(kind && { kind }),
    ...(model !== undefined && { model }),
    ...(folder !== undefined && { folder: resolve(cli.cwd, folder) }),
    ...(sessions && { sessions }),
  };
  const both = unset.find((each) => Object.hasOwn(named, each) || Object.hasOwn(set, each));
  if (both !== undefined)
    throw new UsageError(
      "set-and-unset",
      `"${both}" is to be set and to be unset.`,
      "Leave one of the two out.",
    );
  if (Object.keys({ ...named, ...set }).length + unset.length === 0)
    throw new UsageError(
      "nothing-to-set",
      "There is nothing to set.",
      "Name what shall change, as in --model gpt-5 or --set sandbox=read-only.",
    );
  const fields = unset.filter((each) => each === "model" || each === "folder");
  const settings = unset.filter((each) => each !== "model" && each !== "folder");
  const away = (names: readonly string[]) =>
    Object.fromEntries(names.map((each) => [each, null] as const));
  return { name, ...named, ...away(fields), settings: { ...set, ...away(settings) } };
}

function changes(before: AgentView, after: AgentView): string[] {
  const fields = (["kind", "model", "folder", "sessions"] as const).filter(
    (field) => before[field] !== after[field],
  );
  const names = new Set([...Object.keys(before.settings), ...Object.keys(after.settings)]);
  const settings = [...names].filter((each) => before.settings[each] !== after.settings[each]);
  return [...fields, ...settings];
}
