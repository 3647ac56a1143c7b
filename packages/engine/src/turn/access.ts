/** What a launch may do: the access of agent, settings and turn combined, and the paths of the home hidden from it. */

import { DeniedError, UsageError } from "@reprise/core/errors/errors";
import { type Access, type GrantedAccess, turnAccess } from "@reprise/core/session/access";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { LaunchAccess, Probe, Provider, ProviderAgent } from "@reprise/providers/provider";
import type { Agent, AgentClass } from "@reprise/store/contract/agents";
import type { Engine } from "../engine.ts";
import { hiddenPaths, runFolder } from "./hidden-paths.ts";

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
