/**
 * `move`: the session goes on in another folder, or lives in another home of its provider, and its next
 * turn still resumes. The files are copied and looked at first; the pin changes last, in a transaction
 * that finds no turn on the session, so whoever is interrupted has changed nothing.
 */

import { resolve } from "node:path";
import { parse } from "@reprise/core/api/parse";
import { moveSchema } from "@reprise/core/api/portable-schemas";
import type { MovedSession, MoveSession } from "@reprise/core/api/reprise";
import { RefusedError, UsageError } from "@reprise/core/errors/errors";
import { judgeHistory } from "@reprise/core/session/history";
import type { Pin } from "@reprise/core/session/pin";
import type { Provider } from "@reprise/providers/provider";
import { sha256 } from "../digest.ts";
import { type Engine, providerAgent } from "../engine.ts";
import { workFolder } from "../turn/folder.ts";
import { type Equipment, equip, probe } from "../turn/observe.ts";
import { agentFor } from "../turn/send.ts";
import { placeFiles } from "./placement.ts";
import { readSession } from "./sessions.ts";
import { takeSnapshot } from "./snapshot.ts";

export async function moveSession(engine: Engine, input: MoveSession): Promise<MovedSession> {
  const { key, ...wanted } = parse(moveSchema, input);
  await readSession(engine, key);
  const agent = await agentFor(engine, key, null);
  const equipment = equip(engine, agent);
  const { provider } = equipment;
  const { pin } = await engine.store.load({ key, agent: agent.name });
  if (pin === null || pin.fork) throw nothingToMove(key, pin);
  const folder = wanted.folder ? await workFolder(wanted.folder, engine.cwd) : pin.folder;
  const there = wanted.home ? inHome(engine, equipment, resolve(engine.cwd, wanted.home)) : null;
  const home = there ? (await probe(engine, there, { writes: false })).runtime.home : null;
  const place = there
    ? await provider.place(there.providerAgent, folder)
    : wanted.folder
      ? await provider.place(equipment.providerAgent, folder)
      : pin.handle.place;
  const { id } = pin.handle;
  const moved: Pin = {
    ...pin,
    handle: { id, place },
    folder,
    runtime: { ...pin.runtime, home: home ?? pin.runtime.home },
  };
  const commit = () => engine.store.movePin({ key, from: pin, to: moved, at: engine.now() });

  if (provider.traits.checkpoint === "none") await commit();
  else {
    const { files, expected } = await filesToMove(engine, provider, key, pin);
    const own = provider.relocate?.(files, { id, folder: pin.folder }, { id, folder }) ?? files;
    const stays =
      place === pin.handle.place && own.every(({ name }, at) => name === files[at]?.name);
    if (stays) await commit();
    else
      await placeFiles(engine, provider, key, { pin: moved, files: own }, commit, {
        replace: true,
        expected,
      });
  }
  return {
    key,
    agent: agent.name,
    provider: provider.name,
    handle: id,
    folder,
    place,
    notices: home === null ? [] : await otherHome(engine, equipment, home),
  };
}

/** As the provider has them, with whatever was typed there or left behind; else from a checkpoint. */
async function filesToMove(engine: Engine, provider: Provider, key: string, pin: Pin) {
  const found = await provider.observe(pin.handle, sha256);
  const { state } = judgeHistory(pin, found, "none", sha256);
  if (state !== "lost") return { files: await provider.copyOut(pin.handle), expected: state };
  const { files } = await takeSnapshot(engine, key);
  if (files === null) throw nothingLeft(key);
  return { files, expected: "same" as const };
}

/** The agent as it would be with that home. */
function inHome(engine: Engine, { agent, provider }: Equipment, home: string): Equipment {
  if (!Object.hasOwn(provider.traits.settings, "home"))
    throw new UsageError(
      "no-home",
      `An agent of ${provider.name} has no home that a session could move to.`,
      "Leave --home out.",
    );
  const there = { ...agent, settings: { ...agent.settings, home } };
  return { agent: there, provider, providerAgent: providerAgent(engine, there) };
}

/** The session is moved, but the agent is not: said, because its turns would reseed. */
async function otherHome(engine: Engine, equipment: Equipment, home: string) {
  const { runtime } = await probe(engine, equipment, { writes: false });
  if (runtime.home === home) return [];
  return [
    {
      code: "other-home",
      text: `Agent ${equipment.agent.name} works in ${runtime.home}: this session resumes once the agent's home is ${home}.`,
    },
  ];
}

function nothingToMove(key: string, pin: Pin | null): UsageError {
  return new UsageError(
    "nothing-to-move",
    pin === null
      ? `Session ${key} has no provider session yet: no turn of it was confirmed.`
      : `Session ${key} is a fork that its first turn has yet to make.`,
    "Send it a turn first.",
  );
}

function nothingLeft(key: string): RefusedError {
  return new RefusedError(
    "history-unfit",
    `The provider's history of session ${key} is not what was confirmed, and no checkpoint of it is whole.`,
    `See "reprise sessions verify ${key}"; the next turn settles it, then move the session.`,
  );
}
