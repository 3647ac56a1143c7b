/** Lists the provider sessions in the files of an agent's program, with the session that continues each. */

import { parse } from "@reprise/core/api/parse";
import type { ListProviderSessions, ProviderSessionView } from "@reprise/core/api/reprise";
import { listProviderSessionsSchema } from "@reprise/core/api/schemas";
import { UsageError } from "@reprise/core/errors/errors";
import { shortLine } from "@reprise/core/text/short-line";
import { readAgent } from "../agents.ts";
import type { Engine } from "../engine.ts";
import { bindAgent, workFolder } from "../turn/observe.ts";

export async function providerSessions(
  engine: Engine,
  input: ListProviderSessions,
): Promise<ProviderSessionView[]> {
  const wanted = parse(listProviderSessionsSchema(), input);
  const agent = await readAgent(engine, wanted.agent);
  const { provider, providerAgent } = bindAgent(engine, agent);
  if (!provider.sessions)
    throw new UsageError(
      "no-listing",
      `The sessions of ${provider.manifest.title} cannot be listed.`,
      "Give the id of one, as the agent's own program shows it.",
    );
  const folder = workFolder(wanted.folder ?? agent.folder ?? engine.cwd, engine.cwd);
  const found = await provider.sessions(providerAgent, { folder, limit: wanted.limit });
  const pinned = await engine.store.findPinned({
    provider: agent.provider,
    handles: found.map(({ id }) => id),
  });
  const keys = new Map(pinned.map(({ handle, key }) => [handle, key]));
  return found.map(({ id, folder: began, prompt, usedAt }) => ({
    id,
    provider: agent.provider,
    folder: began,
    prompt: shortLine(prompt),
    usedAt,
    key: keys.get(id) ?? null,
  }));
}
