/**
 * `move`: the session goes on in another folder, or lives in another home of its provider, and its next
 * turn still resumes. The files are copied and looked at first; the pin changes last, in a transaction
 * that finds no turn on the session, so whoever is interrupted has changed nothing.
 */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse } from "@reprise/core/api/parse";
import { moveSchema } from "@reprise/core/api/portable-schemas";
import type { MovedSession, MoveSession } from "@reprise/core/api/reprise";
import { type ErrorView, RefusedError, UnreadError, UsageError } from "@reprise/core/errors/errors";
import type { Notice } from "@reprise/core/session/decision";
import type { SessionKey } from "@reprise/core/session/key";
import type { Pin } from "@reprise/core/session/pin";
import type { Provider } from "@reprise/providers/provider";
import { type Engine, providerAgent } from "../engine.ts";
import { workFolder } from "../turn/folder.ts";
import { type BoundAgent, bindAgent, probe } from "../turn/observe.ts";
import { judgeFound, readHistory } from "../turn/read-history.ts";
import { agentFor } from "../turn/send.ts";
import { placeFiles } from "./placement.ts";
import { readSession } from "./sessions.ts";
import { takeSnapshot } from "./snapshot.ts";

export async function moveSession(engine: Engine, input: MoveSession): Promise<MovedSession> {
  const { key, ...wanted } = parse(moveSchema, input);
  await readSession(engine, key);
  const agent = await agentFor(engine, key, null);
  const bound = bindAgent(engine, agent);
  const { provider } = bound;
  const { pin } = await engine.store.load({ key, agent: agent.name });
  if (pin === null || pin.fork) throw nothingToMove(key, pin);
  const folder = wanted.folder ? workFolder(wanted.folder, engine.cwd) : pin.folder;
  const there = await lodging(engine, bound, pin, wanted.home ?? null);
  const { home } = (await probe(engine, there, { writes: false })).runtime;
  const { id } = pin.handle;
  const place = await provider.place(there.providerAgent, folder);
  const moved: Pin = { ...pin, handle: { id, place }, folder, runtime: { ...pin.runtime, home } };
  const notices = await otherHome(engine, bound, home);
  if (isDeepStrictEqual(moved, pin)) notices.unshift(alreadyThere(key));
  else await relocate(engine, provider, key, pin, moved);
  return {
    key,
    agent: agent.name,
    provider: provider.manifest.name,
    handle: id,
    folder,
    place,
    notices,
  };
}

async function relocate(
  engine: Engine,
  provider: Provider,
  key: SessionKey,
  pin: Pin,
  moved: Pin,
): Promise<void> {
  const commit = () => engine.store.movePin({ key, from: pin, to: moved, at: engine.now() });
  if (provider.manifest.checkpoint === "none") return commit();
  const { files, expected } = await filesToMove(engine, provider, key, pin);
  const { handle, folder } = moved;
  const from = { id: handle.id, folder: pin.folder };
  const own = provider.relocate?.(files, from, { id: handle.id, folder }) ?? files;
  const stays = handle.place === pin.handle.place;
  if (stays && own.every(({ name }, at) => name === files[at]?.name)) return commit();
  const taken = { replace: true, expected };
  await placeFiles(engine, provider, key, { pin: moved, files: own }, commit, taken);
}

/** As the provider has them, with whatever was typed there or left behind; else from a checkpoint. */
async function filesToMove(engine: Engine, provider: Provider, key: string, pin: Pin) {
  const found = judgeFound(pin, await readHistory(provider, pin), "none");
  if (found.state === "unread") throw unread(found.error);
  const { state } = found;
  if (state !== "lost") return { files: await provider.copyOut(pin.handle), expected: state };
  const { files } = await takeSnapshot(engine, key);
  if (files === null) throw nothingLeft(key);
  return { files, expected: "same" as const };
}

/** The agent as it would be with the wanted home, else with the one that the session lives in. */
async function lodging(
  engine: Engine,
  bound: BoundAgent,
  pin: Pin,
  wanted: string | null,
): Promise<BoundAgent> {
  const { agent, provider } = bound;
  if (!Object.hasOwn(provider.manifest.settings.properties, "home")) {
    if (wanted === null) return bound;
    throw new UsageError(
      "no-home",
      `An agent of ${provider.manifest.name} has no home that a session could move to.`,
      "Leave --home out.",
    );
  }
  const home = wanted === null ? pin.runtime.home : await existing(resolve(engine.cwd, wanted));
  const there = { ...agent, settings: { ...agent.settings, home } };
  return { agent: there, provider, providerAgent: providerAgent(engine, there) };
}

/** A home that was mistyped would be made by the agent, which then knows nobody there. */
async function existing(home: string): Promise<string> {
  const found = await stat(home).catch(() => null);
  if (found?.isDirectory()) return home;
  throw new UsageError(
    "home-missing",
    found ? `${home} is not a folder.` : `The home ${home} does not exist.`,
    "Name a home that the agent's program has been set up in with --home.",
  );
}

/** The session is moved, but the agent is not: said, because its turns would reseed. */
async function otherHome(engine: Engine, bound: BoundAgent, home: string): Promise<Notice[]> {
  const { runtime } = await probe(engine, bound, { writes: false });
  if (runtime.home === home) return [];
  const { name } = bound.agent;
  return [
    {
      code: "other-home",
      text: `Agent ${name} works in ${runtime.home}: this session resumes once the agent's home is ${home} ("reprise agent set ${name} --set home=${home}").`,
    },
  ];
}

function alreadyThere(key: string): Notice {
  return { code: "already-there", text: `Session ${key} was there already; nothing was moved.` };
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

function unread({ code, message, hint }: ErrorView): UnreadError {
  return new UnreadError(code, message, hint);
}

function nothingLeft(key: string): RefusedError {
  return new RefusedError(
    "history-unfit",
    `The provider's history of session ${key} is not what was confirmed, and no checkpoint of it is whole.`,
    `See "reprise session verify ${key}"; the next turn settles it, then move the session.`,
  );
}
