/** The homes of the agents' programs on this machine: those of this user, and those of the agents. */

import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import type {
  NativeFiles,
  NativeSessions,
  Provider,
  ProviderAgent,
} from "@reprise/providers/provider";
import { readAgent } from "../agents.ts";
import { type Engine, providerAgent } from "../engine.ts";

export interface NativeHome extends NativeFiles {
  readonly provider: Provider;
  readonly native: NativeSessions;
  readonly agent: ProviderAgent;
}

/** With the files that are there now. `agent` selects the home of that agent alone. */
export async function nativeHomes(
  engine: Engine,
  { agent }: { readonly agent?: string | null | undefined } = {},
): Promise<NativeHome[]> {
  const homes = new Map<string, NativeHome>();
  for (const { provider, agent: each } of await candidates(engine, agent ?? null)) {
    const { native } = provider;
    if (native === undefined) continue;
    const listed = await native.list(each).catch((error: unknown) => {
      // Its program was never used here, or its home belongs to another user.
      if (error instanceof NotFoundError || isDenied(error)) return null;
      throw error;
    });
    const name = listed && `${provider.manifest.name} ${listed.place}`;
    if (name !== null && !homes.has(name))
      homes.set(name, { ...listed!, provider, native, agent: each });
  }
  return [...homes.values()];
}

function isDenied(error: unknown): boolean {
  return ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "");
}

interface Candidate {
  readonly provider: Provider;
  readonly agent: ProviderAgent;
}

async function candidates(engine: Engine, agent: string | null): Promise<Candidate[]> {
  const ofAgent = (each: Parameters<typeof providerAgent>[1] & { readonly provider: string }) => {
    // An agent whose provider cannot be loaded here does not stop the others; doctor names it.
    const provider = engine.providers.providers.find(
      ({ manifest }) => manifest.name === each.provider,
    );
    return provider ? [{ provider, agent: providerAgent(engine, each) }] : [];
  };
  if (agent !== null) {
    const stored = await readAgent(engine, agent);
    const { native, manifest } = engine.provider(stored.provider);
    if (native === undefined)
      throw new UsageError(
        "no-listing",
        `The sessions of ${manifest.title} cannot be listed.`,
        "Reprise keeps the sessions that it started itself.",
      );
    return ofAgent(stored);
  }
  const own = engine.providers.providers.flatMap(({ manifest: { name } }) =>
    name === "scripted" ? [] : ofAgent({ name, provider: name, settings: {} }),
  );
  return [...own, ...(await engine.store.listAgents()).flatMap(ofAgent)];
}
