/** Holds and releases sessions, and archives and revives them. */

import { parse } from "@reprise/core/api/parse";
import type { Hold, Release, SessionView } from "@reprise/core/api/reprise";
import { holdSchema, releaseSchema } from "@reprise/core/api/schemas";
import { sessionKey } from "@reprise/core/session/key";
import { actor, type Engine } from "../engine.ts";
import { sessionView } from "./sessions.ts";

export async function holdSession(engine: Engine, input: Hold): Promise<SessionView> {
  const { key, by, reason } = parse(holdSchema(), input);
  const at = engine.now();
  return sessionView(await engine.store.holdSession({ key, by, reason: reason ?? null, at }));
}

export async function releaseSession(engine: Engine, input: Release): Promise<SessionView> {
  const { key, by } = parse(releaseSchema(), input);
  return sessionView(await engine.store.releaseSession({ key, by, at: engine.now() }));
}

export async function archiveSession(
  engine: Engine,
  key: string,
  { by }: { readonly by?: string } = {},
): Promise<SessionView> {
  const who = actor(engine, by);
  const archive = { key: sessionKey(key), reason: null, by: who, at: engine.now() };
  return sessionView(await engine.store.archiveSession(archive));
}

export async function reviveSession(
  engine: Engine,
  key: string,
  { by }: { readonly by?: string } = {},
): Promise<SessionView> {
  const revive = { key: sessionKey(key), by: actor(engine, by), at: engine.now() };
  return sessionView(await engine.store.reviveSession(revive));
}
