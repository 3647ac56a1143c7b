/** What every part of the engine works with: the home, the store, the launcher, the providers, the settings. */

import { join } from "node:path";
import { effectiveAgent } from "@reprise/core/session/effective-agent";
import type { ProcessIdentity, TurnRequest } from "@reprise/core/session/turn";
import type { Settings } from "@reprise/core/settings/settings";
import type { Launcher } from "@reprise/providers/launch/launcher";
import type { Provider, ProviderAgent } from "@reprise/providers/provider";
import type { ProviderRegistry } from "@reprise/providers/registry";
import type { Agent, Store } from "@reprise/store/store";
import type { Home } from "./home.ts";
import type { Hosts } from "./hosts.ts";
import type { FunctionSandbox } from "./run/work/function-sandbox.ts";

/** Tells the log of a server what went wrong while no caller waited. */
export type Report = (message: string, details: Readonly<Record<string, unknown>>) => void;

export interface Engine {
  readonly home: Home;
  readonly store: Store;
  readonly launcher: Launcher;
  readonly settings: Settings;
  /** What of the project's settings file was left out, one sentence each. */
  readonly ignoredSettings: readonly string[];
  /** Folder that relative paths start from. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values that must never be shown. */
  readonly secrets: readonly string[];
  readonly owner: ProcessIdentity;
  /** The turn that this process was started in, if it was. */
  readonly within: string | null;
  /** Says whether the owner of a turn or run is gone. */
  readonly hosts: Hosts;
  /** Where the code of function nodes runs. */
  readonly functions: FunctionSandbox;
  readonly providers: ProviderRegistry;
  /** @throws UsageError for a provider that does not exist. */
  provider(name: string): Provider;
  now(): number;
  readonly report: Report;
}

/** Variables by which one agent tells its children that they run inside of it; an agent of ours does not. */
const nesting = [
  "REPRISE_TURN",
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SESSION_ID",
  // With it claude's own screen (2.1.325) saves nothing of what is typed there.
  "CLAUDE_CODE_CHILD_SESSION",
];

/** What a turn says beside its agent about how it is started. */
export type TurnSetup = Partial<Pick<TurnRequest, "settings" | "reads" | "mode" | "origin">>;

export function providerAgent(
  engine: Engine,
  agent: Pick<Agent, "name" | "settings">,
  turn: TurnSetup = {},
): ProviderAgent {
  const env = Object.fromEntries(
    Object.entries(engine.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !nesting.includes(entry[0]),
    ),
  );
  return {
    name: agent.name,
    settings: effectiveAgent(agent, turn).settings,
    privateFolder: privateFolder(engine, agent.name, turn),
    readable: turn.reads ?? [],
    env,
  };
}

/** An agent with the profile of another keeps nothing of its own: its folder belongs to the run. */
function privateFolder({ home }: Engine, agent: string, { mode, origin }: TurnSetup): string {
  return mode === "inherit_fresh" && origin
    ? join(home.path, "runs", origin.run, "agents", agent)
    : home.agentFolder(agent);
}
