/** What every part of the engine uses: the home, the store, the launcher, the providers, the settings. */

import { join } from "node:path";
import { effectiveAgent } from "@reprise/core/session/effective-agent";
import type { ProcessIdentity, Turn, TurnRequest } from "@reprise/core/session/turn";
import type { Settings } from "@reprise/core/settings/settings";
import type { Launcher } from "@reprise/providers/launch/launcher";
import type { Provider, ProviderAgent } from "@reprise/providers/provider";
import type { ProviderRegistry } from "@reprise/providers/registry";
import type { Agent } from "@reprise/store/contract/agents";
import type { Store } from "@reprise/store/store";
import type { Accounts } from "./accounts.ts";
import type { Home } from "./home.ts";
import type { Hosts } from "./hosts.ts";
import type { ThreadCallOptions } from "./thread/call-threads.ts";

/** Writes to the server's log what went wrong while no caller was waiting. */
export type Report = (message: string, details: Readonly<Record<string, unknown>>) => void;

type Values = Readonly<Record<string, unknown>>;

/** Runs the code of function nodes. */
export interface Functions {
  call(code: string, inputs: Values, options: ThreadCallOptions): Promise<Values>;
  /** What is wrong with each piece of code, as text; null if it can be compiled, or if that takes too long. */
  compile(codes: readonly string[]): Promise<(string | null)[]>;
  close(): void;
}

export interface Engine {
  readonly home: Home;
  readonly store: Store;
  /** By which the accounts of agents are compared. */
  readonly accounts: Accounts;
  readonly launcher: Launcher;
  readonly settings: Settings;
  /** The settings of the project's file that were ignored, one sentence each. */
  readonly ignoredSettings: readonly string[];
  /** Mistakes in the user's settings file, which stop every command but `doctor` and `config`. */
  readonly brokenSettings: readonly string[];
  /** The folder from which relative paths are resolved. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values that must never be shown. */
  readonly secrets: readonly string[];
  readonly owner: ProcessIdentity;
  /** The turn in which this process was started, if any. */
  readonly within: string | null;
  /** Says whether the owner of a turn or run is gone. */
  readonly hosts: Hosts;
  readonly functions: Functions;
  readonly providers: ProviderRegistry;
  /** @throws UsageError for a provider that does not exist. */
  provider(name: string): Provider;
  now(): number;
  /** Runs a queued turn in the background, unless another process does; `close` waits for it. */
  runLater(turn: Turn, leave?: AbortSignal): void;
  readonly report: Report;
}

/** Variables that mark a process as running inside an agent; an agent that Reprise starts must not get them. */
const nesting = [
  "REPRISE_TURN",
  "REPRISE_SPOOLS",
  "CLAUDECODE",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SESSION_ID",
  // With it, claude's own screen (2.1.325) does not save what is typed there.
  "CLAUDE_CODE_CHILD_SESSION",
];

/** What a turn changes about how its agent is started. */
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

/** An agent that inherits another's profile keeps nothing: its private folder belongs to the run. */
function privateFolder({ home }: Engine, agent: string, { mode, origin }: TurnSetup): string {
  return mode === "inherit_fresh" && origin
    ? join(home.path, "runs", origin.run, "agents", agent)
    : home.agentFolder(agent);
}
