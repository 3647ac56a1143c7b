/** What every part of the engine uses: home, store, launcher, providers, settings; actors, ids, digests, accounts. */

import { createHmac, hash, randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { join } from "node:path";
import { StoreError } from "@reprise/core/errors/errors";
import { storeKeyed } from "@reprise/core/session/pin";
import { effectiveAgent } from "@reprise/core/session/policy";
import type { ProcessIdentity, Turn, TurnRequest } from "@reprise/core/session/turn";
import type { Settings } from "@reprise/core/settings/settings";
import type { Launcher } from "@reprise/providers/launch/launcher";
import type { Provider, ProviderAgent } from "@reprise/providers/provider";
import type { ProviderRegistry } from "@reprise/providers/registry";
import type { Agent } from "@reprise/store/contract/agents";
import type { NewEvent } from "@reprise/store/contract/events";
import type { Store } from "@reprise/store/store";
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
  functions(): Promise<Functions>;
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

// Who did something, as events record it.

/** `by` if the caller gave it; otherwise the turn in which this process was started, or the user. */
export function actor(
  { within, env }: Pick<Engine, "within" | "env">,
  by: string | null | undefined,
): string {
  return by ?? (within === null ? userName(env) : `turn:${within}`);
}

const unwritable = ["store-full", "store-io", "store-not-writable"];

/**
 * Records an action that changed nothing in the store, like a backup. If the home cannot be written, the action
 * is not recorded and does not fail: that is when a backup is needed most.
 */
export async function recordAction(
  { home, store, now, report }: Pick<Engine, "home" | "store" | "now" | "report">,
  stream: string,
  event: NewEvent,
): Promise<void> {
  // Its store is a temporary copy.
  if (home.isReadOnly) return;
  try {
    await store.recordEvent({ stream, event, at: now() });
  } catch (error) {
    if (!(error instanceof StoreError && unwritable.includes(error.code))) throw error;
    report("an event could not be recorded", { stream, event, error: error.message });
  }
}

/** The name of the user, as the system reports it. */
export function userName(env: Readonly<Record<string, string | undefined>>): string {
  const named = env.REPRISE_USER || env.USER || env.LOGNAME;
  if (named) return named;
  try {
    return userInfo().username;
  } catch {
    // The user id has no name on this system.
    return "unknown";
  }
}

// Ids of turns and messages: random from the first character, so that eight characters identify one.

const letters = "0123456789abcdefghjkmnpqrstvwxyz";

export function newId(): string {
  return Array.from(randomBytes(20), (byte) => letters[byte % 32]).join("");
}

/** Digests: SHA-256 of text and bytes, and a keyed digest for credentials. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** Equal credentials give equal digests; without the home's secret a digest reveals nothing. */
export function keyedDigest(secret: string): (text: string) => string {
  return (text) => createHmac("sha256", secret).update(text).digest("hex").slice(0, 32);
}

// The digests by which the accounts of API keys are compared.

interface AccountDigests {
  /** Keyed by the secret of the store, so that every server of it gets the same. */
  digest(credential: string): string;
  /** The account as pins name it that were written before stores had a secret: keyed by the secret of the home. */
  before(account: string | null): string | null;
}

export class Accounts {
  readonly #store: Pick<Store, "readSecret" | "recordSecret">;
  readonly #home: Pick<Home, "secret">;
  #secret: Promise<string> | null = null;

  constructor(store: Pick<Store, "readSecret" | "recordSecret">, home: Pick<Home, "secret">) {
    this.#store = store;
    this.#home = home;
  }

  /** For one look at the account of an agent. The secret of the store is read once, and made if there is none. */
  async digests(): Promise<AccountDigests> {
    this.#secret ??= this.#readSecret();
    const secret = await this.#secret.catch((error) => {
      this.#secret = null;
      throw error;
    });
    const now = keyedDigest(secret);
    const then = keyedDigest(this.#home.secret);
    const digested = new Map<string, string>();
    return {
      digest(credential) {
        const digest = storeKeyed(now(credential));
        digested.set(digest, then(credential));
        return digest;
      },
      before(account) {
        let named = account;
        for (const [digest, before] of digested) named = named?.replaceAll(digest, before) ?? null;
        return named;
      },
    };
  }

  async #readSecret(): Promise<string> {
    const recorded = await this.#store.readSecret();
    return recorded ?? this.#store.recordSecret({ secret: randomBytes(32).toString("hex") });
  }
}
