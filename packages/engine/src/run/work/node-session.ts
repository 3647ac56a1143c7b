/** The session and the folder of an agent node's turn. */

import { join } from "node:path";
import { messageDigest } from "@reprise/core/conversation/slice";
import { UsageError } from "@reprise/core/errors/errors";
import type { SessionKey } from "@reprise/core/session/key";
import type { Agent } from "@reprise/store/contract/agents";
import type { NewMessage } from "@reprise/store/contract/sessions";
import type { AgentNode } from "@reprise/workflow/graph";
import type { AgentWork, SessionUse } from "@reprise/workflow/run/command";
import { type Engine, newId, sha256 } from "../../engine.ts";
import { adoptSession } from "../../session/adopt.ts";
import { forkSession } from "../../session/fork.ts";
import { lastFolder, workFolder } from "../../turn/observe.ts";
import { isItself } from "./node-agent.ts";
import type { WorkContext } from "./work.ts";

/**
 * Creates a session that does not begin with the turn itself: by a fork, from the provider's own session, or
 * from messages. An existing session, perhaps created before a crash, is left as it is. True if there is one.
 */
export async function readySession(
  engine: Engine,
  agent: Agent,
  { node, session, inputs }: AgentWork,
  folder: string,
): Promise<boolean> {
  const { key, fork, messages } = session;
  if ((await engine.store.readSession(key)) !== null) return true;
  const { provider, name } = agent;
  if (session.adopt === null && key === inputs.sessionId) requireKey(engine, agent, node, key);
  const foreign = session.adopt ?? ownId(engine, agent, node, key);
  if (foreign !== null)
    await adoptSession(engine, { provider, id: foreign, key, agent: name, folder });
  else if (fork !== null) await forkSession(engine, { key: fork, newKey: key });
  else if (messages !== null) await importMessages(engine, agent, key, messages);
  else return false;
  return true;
}

/** A provider's own session id is never used as a new key by accident: adopting it must be explicit. */
function requireKey(engine: Engine, agent: Agent, { id, adopt }: AgentNode, key: string): void {
  if (adopt || !engine.provider(agent.provider).manifest.idPattern.test(key)) return;
  throw new UsageError(
    "foreign-session",
    `Node "${id}" got the session ${key}, which does not exist in this home.`,
    `If it is ${agent.provider}'s own session id, set adopt: true to adopt that session.`,
  );
}

/** A run may get the provider's own session id as an input; then it is also the key. */
function ownId(engine: Engine, agent: Agent, { adopt }: AgentNode, key: string): string | null {
  return adopt && engine.provider(agent.provider).manifest.idPattern.test(key) ? key : null;
}

async function importMessages(
  engine: Engine,
  { name: agent, provider }: Agent,
  key: string,
  given: NonNullable<SessionUse["messages"]>,
): Promise<void> {
  const at = engine.now();
  const messages = given.map(({ role, content }): NewMessage => {
    const by = role === "assistant" ? "assistant" : "user";
    return {
      id: newId(),
      role: by,
      agent,
      provider,
      turn: null,
      text: content,
      digest: messageDigest(by, content, sha256),
      origin: "native",
      opening: false,
      at,
    };
  });
  await engine.store.createSession({
    key: key as SessionKey,
    agent,
    provider,
    how: "imported",
    from: null,
    messages,
    pin: null,
    checkpoint: null,
    at,
  });
}

/**
 * The folder of the turn: the node's own; otherwise, for a named agent, the agent's; otherwise the class's or
 * the run's. A node that inherits another agent's profile does not use that agent's folder.
 */
export async function folderOf(
  { engine, run, folder: runFolder }: Pick<WorkContext, "engine" | "run" | "folder">,
  agent: Agent,
  {
    node,
    folder,
    session,
  }: Pick<AgentWork, "node" | "folder"> & { readonly session: Pick<SessionUse, "key"> },
): Promise<string> {
  if (folder !== null) return workFolder(folder, runFolder);
  if (node.mode === "inherit_resume" || isItself(node))
    return workFolder(
      agent.folder ?? (await lastFolder(engine.store, session.key)) ?? runFolder,
      runFolder,
    );
  if (node.mode !== "inherit_fresh")
    return workFolder((agent.hidden && agent.folder) || runFolder, runFolder);
  // An earlier version gave each of them a folder below the home, and its session lives there.
  const begun = await lastFolder(engine.store, session.key);
  const isOld = begun?.startsWith(join(engine.home.path, "runs", run)) ?? false;
  return workFolder(isOld ? begun! : runFolder, runFolder);
}
