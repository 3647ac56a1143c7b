/** The session and the folder of an agent node's turn: what it goes on with, and how it begins. */

import { join } from "node:path";
import { messageDigest } from "@reprise/core/conversation/slice";
import { UsageError } from "@reprise/core/errors/errors";
import type { SessionKey } from "@reprise/core/session/key";
import type { AgentNode } from "@reprise/core/workflow/graph";
import type { AgentWork, SessionUse } from "@reprise/core/workflow/run/command";
import type { Agent, NewMessage } from "@reprise/store/store";
import { sha256 } from "../../digest.ts";
import type { Engine } from "../../engine.ts";
import { newId } from "../../ids.ts";
import { adoptSession } from "../../session/adopt.ts";
import { forkSession } from "../../session/fork.ts";
import { workFolder } from "../../turn/folder.ts";
import { lastFolder } from "../../turn/session-folder.ts";
import { isItself } from "./node-agent.ts";
import type { WorkContext } from "./work.ts";

/**
 * Makes the session where it does not begin with the turn itself: by a fork, from the provider's own, or
 * from messages. One that is there, perhaps made before a crash, is left as it is. True when there is one.
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

/** An id of the provider begins no session by accident: taking that one over has to be said. */
function requireKey(engine: Engine, agent: Agent, { id, adopt }: AgentNode, key: string): void {
  if (adopt || !engine.provider(agent.provider).manifest.idPattern.test(key)) return;
  throw new UsageError(
    "foreign-session",
    `Node "${id}" got the session ${key}, which is no key of this home.`,
    `If it is an id of ${agent.provider} itself, write adopt: true to take that session over.`,
  );
}

/** A run may be handed the provider's own id as an input; then it is the key as well. */
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

/** The node's budget as the session's own settings. */
export function budgetSettings({ budget }: AgentNode): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(budget ?? {}).map(([name, value]) => [
      name.startsWith("budget.") ? name : `budget.${name}`,
      value,
    ]),
  );
}

/**
 * The folder that the turn works in: the node's own; of an agent that works itself its own; else that of
 * its class, or the run's. One with another agent's profile works where any other would.
 */
export async function folderOf(
  { engine, run, folder: runFolder }: WorkContext,
  agent: Agent,
  { node, folder, session }: AgentWork,
): Promise<string> {
  if (folder !== null) return workFolder(folder, runFolder);
  if (node.mode === "inherit_resume" || isItself(node))
    return workFolder(
      agent.folder ?? (await lastFolder(engine.store, session.key)) ?? runFolder,
      runFolder,
    );
  if (node.mode !== "inherit_fresh")
    return workFolder((agent.hidden && agent.folder) || runFolder, runFolder);
  // An earlier version gave each of them a folder below the home, where its session is.
  const begun = await lastFolder(engine.store, session.key);
  const isOld = begun?.startsWith(join(engine.home.path, "runs", run)) ?? false;
  return workFolder(isOld ? begun! : runFolder, runFolder);
}
