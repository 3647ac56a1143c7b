/** `adopt`: continues a conversation that was started in the provider's own program. */

import { parse } from "@reprise/core/api/parse";
import { adoptSchema } from "@reprise/core/api/portable-schemas";
import type { AdoptSession, CreatedSession } from "@reprise/core/api/reprise";
import { chain, slice } from "@reprise/core/conversation/slice";
import { NotFoundError, RefusedError, UsageError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { contextOf, type History, lastSummary } from "@reprise/core/session/history";
import type { SessionKey } from "@reprise/core/session/key";
import type { Handle, Pin } from "@reprise/core/session/pin";
import { isCredential } from "@reprise/core/session/redact";
import { readOnce } from "@reprise/providers/files";
import type { FileSource } from "@reprise/providers/provider";
import { readAgent } from "../agents.ts";
import { type Engine, sha256 } from "../engine.ts";
import { newCheckpoint } from "../turn/checkpoint.ts";
import { type BoundAgent, bindAgent, noInstructions, probe, workFolder } from "../turn/observe.ts";
import { nativeMessages } from "../turn/observe-after.ts";
import { agentOfProvider } from "./agent-of-provider.ts";

export async function adoptSession(engine: Engine, input: AdoptSession): Promise<CreatedSession> {
  const wanted = parse(adoptSchema(), input);
  const agent =
    wanted.agent == null
      ? await agentOfProvider(engine, wanted.provider, wanted.folder ?? engine.cwd)
      : await readAgent(engine, wanted.agent);
  if (agent.provider !== wanted.provider)
    throw new UsageError(
      "other-provider",
      `Agent ${agent.name} uses ${agent.provider}, not ${engine.provider(wanted.provider).manifest.name}.`,
      `Name an agent of ${wanted.provider} with ${option("agent")}.`,
    );
  const bound = bindAgent(engine, agent);
  const { provider, providerAgent } = bound;
  if (!provider.manifest.idPattern.test(wanted.id) || isCredential(wanted.id, engine.secrets))
    throw new UsageError(
      "bad-session-id",
      `This is not a ${provider.manifest.name} session id.`,
      "Give the id as the agent's own program shows it.",
    );
  const folder = workFolder(wanted.folder ?? agent.folder ?? engine.cwd, engine.cwd);
  const handle = { id: wanted.id, place: await provider.place(providerAgent, folder) };
  const source = readOnce();
  const history = await found(bound, handle, source);
  const at = engine.now();
  const by = { agent: agent.name, provider: agent.provider };
  const messages = nativeMessages(history.items, by, at);
  const pin: Pin = {
    handle,
    ...by,
    folder,
    runtime: (await probe(engine, bound, { writes: true })).runtime,
    model: agent.model,
    // The account is unknown here; the first turn pins it.
    account: null,
    instructions: noInstructions,
    given: chain(
      slice(messages, agent.name).map(({ digest }) => digest),
      sha256,
    ),
    cursor: messages.at(-1)?.id ?? null,
    history: chain(
      history.items.map(({ digest }) => digest),
      sha256,
    ),
    ...contextOf(history, sha256),
    summary: lastSummary(history),
    residue: null,
    totals: history.totals ?? null,
    strikes: 0,
    turns: 0,
    tokens: 0,
    bytes: history.bytes,
    startedAt: at,
    confirmedAt: at,
  };
  await engine.store.createSession({
    key: wanted.key as SessionKey,
    ...by,
    how: "adopted",
    from: null,
    messages,
    pin,
    checkpoint: newCheckpoint(pin, await provider.copyOut(handle, source)),
    at,
  });
  return { key: wanted.key, ...by, messages: messages.length, next: "resume", notices: [] };
}

async function found(
  { provider, agent }: BoundAgent,
  handle: Handle,
  source: FileSource,
): Promise<History> {
  const history =
    provider.manifest.checkpoint === "none"
      ? "unreadable"
      : await provider.observe(handle, sha256, source);
  if (history === "missing")
    throw new NotFoundError(
      "no-provider-session",
      `There is no ${provider.manifest.name} session ${handle.id} in ${handle.place}.`,
      `Check the id, and that agent ${agent.name} uses the home in which the conversation was started.`,
    );
  if (history === "unreadable")
    throw new RefusedError(
      "unreadable-history",
      `The history of the ${provider.manifest.name} session ${handle.id} cannot be read.`,
      "It cannot be continued safely; start another conversation.",
    );
  return history;
}
