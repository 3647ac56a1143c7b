/** What a launch may do: the access of agent, settings and turn combined, and the paths of the home hidden from it. */

import { readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { DeniedError, UsageError } from "@reprise/core/errors/errors";
import { type Access, type GrantedAccess, turnAccess } from "@reprise/core/session/access";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { LaunchAccess, Probe, Provider, ProviderAgent } from "@reprise/providers/provider";
import type { Agent, AgentClass } from "@reprise/store/contract/agents";
import type { Engine } from "../engine.ts";
import { isShared } from "../home.ts";
import { passFile } from "../pass-file.ts";

type Definition = Pick<AgentClass, "provider" | "settings" | "access">;

/** The access that an agent or a class grants, counting what its provider settings give. */
export function grantedBy(engine: Engine, definition: Definition): GrantedAccess {
  return grantedIn(engine, definition, null);
}

/** The effective level alone, for display. */
export function effectiveAccess(engine: Engine, definition: Definition): Access {
  return grantedBy(engine, definition).level;
}

function grantedIn(engine: Engine, definition: Definition, turn: Access | null): GrantedAccess {
  const { provider, settings, access } = definition;
  // The provider of an agent may no longer be loaded; the agent can still be listed.
  const isLoaded = engine.providers.has(provider);
  const given = isLoaded ? engine.provider(provider).manifest.access.given(settings) : null;
  return turnAccess({ agent: access, settings: given, turn });
}

/** The agent with the changes that the turn makes to it. */
interface Checked {
  readonly agent: Agent;
  readonly provider: Provider;
  readonly providerAgent: ProviderAgent;
}

/**
 * Checks, before anything is written, that the provider supports the requested access.
 * @throws UsageError if `ask` is not supported, DeniedError if the provider's program would refuse to start.
 */
export function checkAccess(
  engine: Engine,
  { agent, provider, providerAgent }: Checked,
  request: Pick<TurnRequest, "access" | "onDenied">,
): void {
  checkOnDenied(provider, request.onDenied ?? agent.onDenied);
  requireAccess(provider, providerAgent, grantedIn(engine, agent, request.access ?? null));
}

/** @throws DeniedError for a level that the provider cannot enforce, or that its program refuses to start with. */
export function requireAccess(
  provider: Provider,
  agent: ProviderAgent,
  granted: Pick<LaunchAccess, "level" | "named">,
): void {
  requireLevel(provider, granted.level);
  const refusal = provider.refusesAccess?.(agent, granted);
  if (refusal) throw new DeniedError("access-refused", refusal.message, refusal.hint);
}

/** @throws DeniedError `access-not-enforced` for a level that the provider's manifest does not have. */
export function requireLevel({ manifest: { name, access } }: Provider, level: Access): void {
  if (access.levels[level] !== undefined) return;
  const levels = Object.keys(access.levels);
  throw new DeniedError(
    "access-not-enforced",
    `${name} cannot enforce access ${level}.`,
    `Use access ${levels.join(" or ")}.`,
  );
}

/** @throws UsageError `cannot-ask` */
export function checkOnDenied({ manifest }: Provider, onDenied: Agent["onDenied"]): void {
  if (onDenied !== "ask" || manifest.access.asks) return;
  throw new UsageError(
    "cannot-ask",
    `onDenied is ask, but an agent of ${manifest.name} cannot ask for permission.`,
    "Use note or fail, or access full.",
  );
}

/** Everything that the provider needs to enforce the access of one launch. */
export async function launchAccess(
  engine: Engine,
  agent: Agent,
  request: TurnRequest,
  { sandbox = false }: Pick<Probe, "sandbox">,
): Promise<LaunchAccess> {
  const granted = grantedIn(engine, agent, request.access ?? null);
  return {
    ...granted,
    allowedCommands: [
      ...new Set([
        ...engine.settings.allowedCommands,
        ...agent.allowedCommands,
        ...(request.allowedCommands ?? []),
      ]),
    ],
    asks: (request.onDenied ?? agent.onDenied) === "ask",
    readable: [
      engine.home.agentFolder(agent.name),
      ...(request.origin ? [runFolder(engine, request.origin.run)] : []),
    ],
    hidden: granted.level === "full" ? [] : await hiddenPaths(engine, agent, request),
    sandbox,
  };
}

// The paths of the home that an agent's file tools may neither read nor write under `read` and `edit`: the
// database, `token`, `secret`, spools and all other files of Reprise, and the folders of other agents and runs.
// If the home is on PostgreSQL, they include the passfile, which may have the password of its database.
// The agent's own folder, its run's folder and the work folder stay open. In claude and codex a deny rule wins
// over any allow rule, so the home is hidden entry by entry, not as a whole.

/** Hidden even if they do not exist yet: they may be created during the turn. */
const always = [
  "reprise.db",
  "reprise.db-wal",
  "reprise.db-shm",
  "secret",
  "token",
  "store.json",
  "server.json",
  "server.lock",
  "server.log",
  "server.log.1",
  "server.log.2",
  "server.log.3",
  "server.err",
  "turns",
  "found",
];
/** Folders with one entry for each agent or run. */
const shared = ["agents", "runs"];
/** A folder with more entries is hidden as a whole, because the length of a command line is limited. */
const maxEntries = 200;

/** The folder of one run's own files, outside its work folder. */
function runFolder({ home }: Pick<Engine, "home">, run: string): string {
  return join(home.path, "runs", run);
}

export async function hiddenPaths(
  { home, env }: Pick<Engine, "home" | "env">,
  { name }: Pick<Agent, "name">,
  request: Pick<TurnRequest, "folder" | "origin" | "reads">,
): Promise<string[]> {
  const place = await realpath(home.path);
  const open = [
    home.agentFolder(name),
    request.folder,
    // The files of the agent whose profile it inherits.
    ...(request.reads ?? []),
    request.origin && runFolder({ home }, request.origin.run),
  ].filter((path) => path !== null);
  const opened = await Promise.all(open.map((path) => realpath(path).catch(() => path)));
  const isOpen = (path: string) =>
    opened.some((each) => path === each || each.startsWith(path + sep));

  const entries = await readdir(place);
  const own = new Set([...always, ...entries.filter((entry) => !shared.includes(entry))]);
  const others = await Promise.all(
    shared.map(async (entry) => {
      const within = await readdir(join(place, entry)).catch(() => []);
      if (within.length > maxEntries) return [join(place, entry)];
      return within.map((each) => join(place, entry, each));
    }),
  );
  const passwords = isShared(place)
    ? [await realpath(passFile(env)).catch(() => passFile(env))]
    : [];
  return [...[...own].map((entry) => join(place, entry)), ...others.flat(), ...passwords]
    .filter((path) => !isOpen(path))
    .toSorted();
}
