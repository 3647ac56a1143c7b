/**
 * `move`: moves a session to another folder or to another home of its provider, so that its next turn still
 * resumes. The files are copied and checked first. The pin changes last, in a transaction that requires that
 * no turn is open, so an interrupted move changes nothing.
 */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse } from "@reprise/core/api/parse";
import { moveSchema } from "@reprise/core/api/portable-schemas";
import type { MovedSession, MoveSession } from "@reprise/core/api/reprise";
import { type ErrorView, RefusedError, UnreadError, UsageError } from "@reprise/core/errors/errors";
import { option, verb } from "@reprise/core/errors/hint";
import type { Notice } from "@reprise/core/session/decision";
import type { SessionKey } from "@reprise/core/session/key";
import type { Pin } from "@reprise/core/session/pin";
import { readOnce } from "@reprise/providers/files";
import type { Provider, ProviderFile } from "@reprise/providers/provider";
import { actor, type Engine, providerAgent } from "../engine.ts";
import { judgeFound, readHistory } from "../turn/checkpoint.ts";
import { type BoundAgent, bindAgent, probe, workFolder } from "../turn/observe.ts";
import { agentFor } from "../turn/send.ts";
import { placeFiles } from "./placement.ts";
import { presentPin } from "./present-pin.ts";
import { readSession } from "./sessions.ts";
import { takeSnapshot } from "./snapshot.ts";

export async function moveSession(engine: Engine, input: MoveSession): Promise<MovedSession> {
  const { key, ...wanted } = parse(moveSchema(), input);
  await readSession(engine, key);
  const agent = await agentFor(engine, key, null);
  const bound = bindAgent(engine, agent);
  const { provider } = bound;
  const { pin: pinned, pinVersion } = await engine.store.load({ key, agent: agent.name });
  const pin = await presentPin(engine, pinned);
  if (pin === null || pinVersion === null || pin.fork) throw nothingToMove(key, pin);
  const folder = wanted.folder ? workFolder(wanted.folder, engine.cwd) : pin.folder;
  const there = await agentWithHome(engine, bound, pin, wanted.home ?? null);
  const { home } = (await probe(engine, there, { writes: false })).runtime;
  const { id } = pin.handle;
  const place = await provider.place(there.providerAgent, folder);
  const moved: Pin = { ...pin, handle: { id, place }, folder, runtime: { ...pin.runtime, home } };
  const notices = await otherHome(engine, bound, home);
  if (isDeepStrictEqual(moved, pin)) notices.unshift(alreadyThere(key));
  else
    await relocate(engine, provider, key, {
      pin,
      version: pinVersion,
      moved,
      by: actor(engine, wanted.by),
    });
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
  {
    pin,
    version,
    moved,
    by,
  }: {
    readonly pin: Pin;
    readonly version: number;
    readonly moved: Pin;
    readonly by: string;
  },
): Promise<void> {
  const commit = () => engine.store.movePin({ key, version, to: moved, by, at: engine.now() });
  if (provider.manifest.checkpoint === "none") return commit();
  const { files, expected } = await filesToMove(engine, provider, key, pin);
  const { handle, folder } = moved;
  const from = { id: handle.id, folder: pin.folder };
  const own = provider.relocate?.(files, from, { id: handle.id, folder }) ?? files;
  const stays = handle.place === pin.handle.place;
  if (stays && own.every((file, at) => isSame(file, files[at]))) return commit();
  const taken = { replace: true, expected };
  await placeFiles(engine, provider, key, { pin: moved, files: own }, commit, taken);
}

function isSame(one: ProviderFile, other: ProviderFile | undefined): boolean {
  if (one.name !== other?.name) return false;
  return one.bytes === other.bytes || Buffer.compare(one.bytes, other.bytes) === 0;
}

/** The provider's current files, with whatever was typed or left there; if they are lost, those of a checkpoint. */
async function filesToMove(engine: Engine, provider: Provider, key: string, pin: Pin) {
  const source = readOnce();
  const found = judgeFound(pin, await readHistory(provider, pin, source), "none");
  if (found.state === "unread") throw unread(found.error);
  const { state } = found;
  if (state !== "lost")
    return { files: await provider.copyOut(pin.handle, source), expected: state };
  const { files } = await takeSnapshot(engine, key);
  if (files === null) throw nothingLeft(key);
  return { files, expected: "same" as const };
}

/** The agent with the wanted home, or with the home of the session if none is wanted. */
async function agentWithHome(
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
      `A session of ${provider.manifest.name} cannot move to another home.`,
      `Remove ${option("home")}.`,
    );
  }
  const home = wanted === null ? pin.runtime.home : await existing(resolve(engine.cwd, wanted));
  const there = { ...agent, settings: { ...agent.settings, home } };
  return { agent: there, provider, providerAgent: providerAgent(engine, there) };
}

/** The agent would silently create a mistyped home. */
async function existing(home: string): Promise<string> {
  const found = await stat(home).catch(() => null);
  if (found?.isDirectory()) return home;
  throw new UsageError(
    "home-missing",
    found ? `${home} is not a folder.` : `The home ${home} does not exist.`,
    `Name with ${option("home")} a home in which the agent's program is set up.`,
  );
}

/** A notice if the session moved but its agent uses another home: its turns would reseed. */
async function otherHome(engine: Engine, bound: BoundAgent, home: string): Promise<Notice[]> {
  const { runtime } = await probe(engine, bound, { writes: false });
  if (runtime.home === home) return [];
  const { name } = bound.agent;
  return [
    {
      code: "other-home",
      text: `Agent ${name} uses the home ${runtime.home}. The session resumes once the agent's home is ${home}: ${verb("agents.set", { name, settings: { home } })}`,
    },
  ];
}

function alreadyThere(key: string): Notice {
  return { code: "already-there", text: `Session ${key} is already there; nothing was moved.` };
}

function nothingToMove(key: string, pin: Pin | null): UsageError {
  return new UsageError(
    "nothing-to-move",
    pin === null
      ? `Session ${key} has no provider session yet: it has no confirmed turn.`
      : `Session ${key} is a fork whose provider session is created by its first turn.`,
    "Send it a turn first.",
  );
}

function unread({ code, message, hint }: ErrorView): UnreadError {
  return new UnreadError(code, message, hint);
}

function nothingLeft(key: string): RefusedError {
  return new RefusedError(
    "history-unfit",
    `The provider's history of session ${key} differs from what was confirmed, and no checkpoint of it is complete.`,
    `See ${verb("sessions.verify", key)}. Send a turn, which repairs it, then move the session.`,
  );
}
