/**
 * `fork`: creates a key with the past of another one, up to its end or up to a turn. The past is copied at
 * once; the new key's first turn creates the provider session. The source is not changed.
 */

import { randomUUID } from "node:crypto";
import { parse } from "@reprise/core/api/parse";
import { forkSchema } from "@reprise/core/api/portable-schemas";
import type { CreatedSession, ForkSession } from "@reprise/core/api/reprise";
import { UsageError } from "@reprise/core/errors/errors";
import type { SessionKey } from "@reprise/core/session/key";
import type { Fork, Pin } from "@reprise/core/session/pin";
import { can } from "@reprise/providers/define-provider";

import type { NewCheckpoint } from "@reprise/store/contract/checkpoints";
import { type Engine, newId } from "../engine.ts";
import { newCheckpoint } from "../turn/checkpoint.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";

interface Forked {
  readonly pin: Pin | null;
  readonly checkpoint: NewCheckpoint | null;
}

export async function forkSession(engine: Engine, input: ForkSession): Promise<CreatedSession> {
  const { key, newKey, at } = parse(forkSchema(), input);
  const snapshot = await takeSnapshot(engine, key, at ?? null);
  const { agent, provider, messages } = snapshot;
  if (messages.length === 0 && snapshot.pin === null)
    throw new UsageError(
      "nothing-to-fork",
      `Session ${key} has nothing to fork: it has no confirmed turn.`,
      "Send it a turn first.",
    );
  const now = engine.now();
  const { pin, checkpoint } = forkOf(snapshot, key, now);
  await engine.store.createSession({
    key: newKey as SessionKey,
    agent,
    provider: provider.manifest.name,
    how: "forked",
    from: key,
    // The turns belong to the other session.
    messages: messages.map((message) => ({ ...message, turn: null })),
    pin,
    checkpoint,
    at: now,
  });
  const resumes = pin?.fork !== undefined && pin.fork.by !== "transcript";
  const notices = [
    ...(snapshot.parked ? [{ code: "fork-before-question", text: parkedText(key) }] : []),
    ...(resumes ? [] : [{ code: "fork-reseeds", text: reseedText(snapshot) }]),
  ];
  return {
    key: newKey,
    agent,
    provider: provider.manifest.name,
    messages: messages.length,
    next: resumes ? "resume" : "reseed",
    notices,
  };
}

function forkOf(snapshot: Snapshot, key: string, now: number): Forked {
  const { provider, pin, files, atEnd } = snapshot;
  const fork = (by: Fork["by"]): Fork => ({ key, by, source: pin?.handle ?? null });
  if (pin === null) return { pin: null, checkpoint: null };
  const begun = { ...pin, strikes: 0, startedAt: now };
  if (can(provider, "fork-copy") && provider.relocate && files) {
    const { folder } = pin;
    const handle = { ...pin.handle, id: randomUUID() };
    const own = provider.relocate(files, { id: pin.handle.id, folder }, { id: handle.id, folder });
    const made = { ...begun, handle, fork: fork("copy") };
    return { pin: made, checkpoint: newCheckpoint(made, own) };
  }
  const by = can(provider, "fork-command") && atEnd ? "command" : "transcript";
  // No provider session has this id; refusing or retiring it concerns the fork, not its source.
  const handle = { ...pin.handle, id: `fork-${newId()}` };
  return { pin: { ...begun, handle, fork: fork(by) }, checkpoint: null };
}

function parkedText(key: string): string {
  return `Session ${key} waits for an answer; the new session ends before that turn.`;
}

function reseedText(snapshot: Snapshot): string {
  return `${whyNotCopied(snapshot)} The first turn of the fork reseeds from the transcript.`;
}

/** Why the fork has no provider session of its own. */
function whyNotCopied({ provider, session, turn, pin, current }: Snapshot): string {
  const { name } = provider.manifest;
  const { key } = session;
  if (current === null) return `Session ${key} has no confirmed provider session yet.`;
  if (pin === null) {
    if (turn === null) return `No checkpoint of session ${key} ends before its question.`;
    const ran = turn.attempts.findLast(({ handle }) => handle !== null)?.handle;
    return ran === current
      ? `No checkpoint of turn ${turn.seq} of session ${key} is kept.`
      : `Turn ${turn.seq} of session ${key} ran in an earlier provider session, which is no longer used.`;
  }
  if (can(provider, "fork-copy"))
    return `The provider session of ${key} cannot be copied: its files and its checkpoints do not match the transcript.`;
  return can(provider, "fork-command")
    ? `${name} can fork a session only at its last turn.`
    : `${name} cannot fork a session.`;
}
