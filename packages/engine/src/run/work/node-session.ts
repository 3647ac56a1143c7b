/** The session and the folder of an agent node's turn: what it goes on with, and how it begins. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { messageDigest } from "@reprise/core/conversation/slice";
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
import type { WorkContext } from "./work.ts";

/**
 * Makes the session where it does not begin with the turn itself: by a fork, from the provider's own, or
 * from messages. One that is there, perhaps made before a crash, is left as it is. True when there is one.
 */
export async function readySession(
  engine: Engine,
  agent: Agent,
  { node, session }: AgentWork,
  folder: string,
): Promise<boolean> {
  const { key, fork, messages } = session;
  if ((await engine.store.readSession(key)) !== null) return true;
  const { provider, name } = agent;
  const foreign = session.adopt ?? ownId(engine, agent, node, key);
  if (foreign !== null)
    await adoptSession(engine, { provider, id: foreign, key, agent: name, folder });
  else if (fork !== null) await forkSession(engine, { key: fork, newKey: key });
  else if (messages !== null) await importMessages(engine, agent, key, messages);
  else return false;
  return true;
}

/** A run may be handed the provider's own id as an input; then it is the key as well. */
function ownId(engine: Engine, agent: Agent, { adopt }: AgentNode, key: string): string | null {
  return adopt && engine.provider(agent.provider).traits.idPattern.test(key) ? key : null;
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
 * The folder that the turn works in: the node's own; of an agent that is resumed its own; of a cloned one
 * a new folder of the run; else the class's or the run's. A session goes on where it was begun.
 */
export async function folderOf(
  { engine, run, execution, folder: runFolder }: WorkContext,
  agent: Agent,
  { node, folder, session }: AgentWork,
): Promise<string> {
  if (folder !== null) return workFolder(folder, runFolder);
  if (node.mode === "inherit_resume")
    return workFolder(
      agent.folder ?? (await lastFolder(engine.store, session.key)) ?? runFolder,
      runFolder,
    );
  if (node.mode !== "inherit_fresh") return workFolder(agent.folder ?? runFolder, runFolder);
  const begun = await lastFolder(engine.store, session.key);
  if (begun !== null) return workFolder(begun, runFolder);
  const own = join(engine.home.path, "runs", run, folderName(execution));
  await mkdir(own, { recursive: true, mode: 0o700 });
  return workFolder(own, runFolder);
}

function folderName(execution: string): string {
  return execution.replace(/[^\w.~-]/g, "_").replace(/^\.+/, "_");
}
