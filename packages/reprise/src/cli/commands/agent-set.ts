/** `reprise agent set`: changes an agent from its sessions' next turns on, or with `--class` a class. */

import { resolve } from "node:path";
import type { AgentClassView, AgentView, SetAgent } from "@reprise/core/api/reprise";
import { UsageError } from "@reprise/core/errors/errors";
import type { Cli } from "../cli.ts";
import { refuseSessions } from "../input/class-sessions.ts";
import { type AccessOptions, accessRequest } from "../input/turn.ts";

interface SetOptions extends AccessOptions {
  readonly class?: boolean;
  readonly kind?: AgentView["kind"];
  readonly model?: string;
  readonly folder?: string;
  readonly sessions?: AgentView["sessions"];
  readonly set?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
}

export async function run(cli: Cli, name: string, options: SetOptions): Promise<number> {
  if (options.class) return setClass(cli, name, options);
  const request = requestOf(cli, name, options);
  const { before, after } = await cli.withHome(async ({ reprise: { agents } }) => ({
    before: await agents.show(name),
    after: await agents.set(request),
  }));
  const next = "To see whether a session still resumes: reprise explain KEY";
  const lines = [...after.notices.map(({ text }) => text), next];
  return tell(cli, "agent", before, after, lines.join("\n"));
}

async function setClass(cli: Cli, name: string, options: SetOptions): Promise<number> {
  refuseSessions(name, options.sessions);
  const request = requestOf(cli, name, options);
  const { before, after, made } = await cli.withHome(async ({ reprise: { agents } }) => ({
    before: await agents.showClass(name),
    after: await agents.setClass(request),
    made: (await agents.list()).filter((agent) => agent.class === name),
  }));
  const next = "Agents and nodes that are created from now on use it.";
  const names = made.map((agent) => agent.name).join(", ");
  const stay = `Existing agents of this class did not change: ${names}. Change one with: reprise agent set NAME`;
  return tell(cli, "class", before, after, made.length > 0 ? `${next}\n${stay}` : next);
}

function tell(
  cli: Cli,
  what: "agent" | "class",
  before: AgentClassView,
  after: AgentClassView,
  next: string,
): number {
  const { name } = after;
  const changed = changes(before, after);
  if (cli.json) cli.document(after);
  else if (changed.length === 0)
    cli.out.line(`${what === "agent" ? "Agent" : "Class"} ${name} already has these values.`);
  else {
    cli.out.line(`Changed ${what} ${name}: ${changed.join(", ")}.`);
    cli.remark(next);
  }
  return 0;
}

/** `model` and `folder` are not settings of a provider, but are unset like them. */
function requestOf(cli: Cli, name: string, options: SetOptions): SetAgent {
  const { kind, model, folder, sessions, set = {}, unset = [] } = options;
  const named = {
    ...(kind && { kind }),
    ...(model !== undefined && { model }),
    ...(folder !== undefined && { folder: resolve(cli.cwd, folder) }),
    ...(sessions && { sessions }),
    ...accessRequest(options),
  };
  const both = unset.find((each) => Object.hasOwn(named, each) || Object.hasOwn(set, each));
  if (both !== undefined)
    throw new UsageError(
      "set-and-unset",
      `"${both}" is both set and unset.`,
      "Use only one of the two.",
    );
  if (Object.keys({ ...named, ...set }).length + unset.length === 0)
    throw new UsageError(
      "nothing-to-set",
      "There is nothing to set.",
      "Name what to change, as in --model gpt-5 or --access read.",
    );
  const isField = (each: string) => each === "model" || each === "folder";
  const fields = unset.filter(isField);
  const settings = unset.filter((each) => !isField(each) && each !== "allowedCommands");
  const away = (names: readonly string[]) =>
    Object.fromEntries(names.map((each) => [each, null] as const));
  return {
    name,
    ...named,
    ...away(fields),
    ...(unset.includes("allowedCommands") && { allowedCommands: [] }),
    settings: { ...set, ...away(settings) },
  };
}

type Shown = AgentClassView & Partial<AgentView>;

function changes(before: Shown, after: Shown): string[] {
  const fields = (
    ["kind", "model", "folder", "sessions", "access", "allowedCommands", "onDenied"] as const
  ).filter((field) => String(before[field]) !== String(after[field]));
  const names = new Set([...Object.keys(before.settings), ...Object.keys(after.settings)]);
  const settings = [...names].filter((each) => before.settings[each] !== after.settings[each]);
  return [...fields, ...settings];
}
