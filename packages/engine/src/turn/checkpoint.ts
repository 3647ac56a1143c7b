/**
 * Checkpoints of provider files. A checkpoint stores what was appended since the last one, or the whole
 * file if its beginning changed or the appended parts have outgrown it. Storage per turn is therefore
 * what the turn added, and a damaged part does not spoil every later checkpoint. Each part and each whole
 * file has its digest; a file whose digest does not match is never restored.
 */

import { createHash } from "node:crypto";
import type { Message } from "@reprise/core/conversation/message";
import {
  type ChainEnd,
  measureSlice,
  sinceOpening,
  takenBackMessages,
} from "@reprise/core/conversation/slice";
import { type ErrorView, UnreadError } from "@reprise/core/errors/errors";
import type { HistoryState, Wanted } from "@reprise/core/session/decision";
import { continued } from "@reprise/core/session/guards";
import {
  type CheckpointState,
  type History,
  judgedHandle,
  judgeHistory,
  pinnedAmong,
} from "@reprise/core/session/history";
import type { Pin, PinProgress } from "@reprise/core/session/pin";
import { readOnce } from "@reprise/providers/files";
import type { FileSource, Provider, ProviderFile } from "@reprise/providers/provider";
import type {
  CheckpointHead,
  CheckpointPart,
  KeptCheckpoints,
  NewCheckpoint,
} from "@reprise/store/contract/checkpoints";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import { type Engine, sha256 } from "../engine.ts";

/** Version of the checkpoint's own format. */
const checkpointVersion = 1;

/**
 * A checkpoint of what changed in the provider's files since the last one; null if nothing changed. `source` is the one
 * from which the history of the pin was read.
 */
export async function takeCheckpoint(
  provider: Provider,
  pin: Pin,
  last: CheckpointHead | null,
  source: FileSource,
): Promise<NewCheckpoint | null> {
  if (provider.manifest.checkpoint === "none") return null;
  const before = last?.handle === pin.handle.id && last.agent === pin.agent ? last : null;
  return newCheckpoint(pin, await provider.copyOut(pin.handle, source), before);
}

/** A checkpoint of these files; null if the last one already has them. */
export function newCheckpoint(
  pin: Pin,
  files: readonly ProviderFile[],
  last: CheckpointHead | null = null,
): NewCheckpoint | null {
  const parts = checkpointParts(files, last);
  if (parts.length === 0) return null;
  const { handle, model } = pin;
  return {
    version: checkpointVersion,
    handle: handle.id,
    model,
    standing: pinProgress(pin),
    parts,
  };
}

function pinProgress(pin: Pin): PinProgress {
  const { given, cursor, history, context, summary, residue, instructions } = pin;
  const { totals, tokens, bytes } = pin;
  return {
    ...{ given, cursor, history, summary, residue, instructions, totals, tokens, bytes },
    ...(context && { context }),
  };
}

export function checkpointParts(
  files: readonly ProviderFile[],
  last: Pick<CheckpointHead, "files"> | null,
): CheckpointPart[] {
  return files.flatMap(({ name, bytes }) => {
    const before = last?.files.find((file) => file.name === name);
    const digests = prefixDigests(bytes, [before?.size ?? 0, bytes.length]);
    const whole = digests.get(bytes.length)!;
    const appended = before !== undefined && digests.get(before.size) === before.whole;
    if (appended && bytes.length === before.size) return [];
    const follows = appended && bytes.length <= 2 * before.snapshot;
    const start = follows ? before.size : 0;
    const added = bytes.subarray(start);
    const digest = start === 0 ? whole : sha256(added);
    return [{ name, start, bytes: added, sha256: digest, size: bytes.length, whole }];
  });
}

/** Files that can be restored, and the pin as it was when they were copied. */
export interface Restoration {
  readonly files: readonly ProviderFile[];
  readonly pin: Pin;
  /** It is older than the last confirmed turn. */
  readonly earlier: boolean;
}

/** The newest complete checkpoint that fits, or what is wrong with all of them. */
export function findRestoration(
  kept: KeptCheckpoints,
  pin: Pin,
  fits: (then: Pin) => boolean,
): Restoration | Exclude<CheckpointState, "whole"> {
  const obstacle = obstacleTo(kept, pin);
  if (obstacle) return obstacle;
  const copies = copiesOf(kept);
  for (const head of kept.heads) {
    const then = pinAt(head, kept.heads[0] === head, pin);
    if (then === null || !fits(then)) continue;
    const files = filesAt(head, copies);
    if (files === null) continue;
    return { files, pin: then, earlier: then.history?.digest !== pin.history?.digest };
  }
  return "damaged";
}

/** Why no checkpoint may be used, regardless of its content; null if they may be. */
export function obstacleTo({ heads: [newest] }: KeptCheckpoints, { agent }: Pin) {
  if (newest === undefined) return "none";
  if (newest.version > checkpointVersion) return "newer";
  return newest.agent === agent ? null : "foreign";
}

/**
 * The pin as it was at a checkpoint. A checkpoint that did not record it is usable only if it is the
 * newest, because an unconfirmed turn without a tool has not changed it.
 */
function pinAt({ standing, model }: CheckpointHead, newest: boolean, pin: Pin): Pin | null {
  if (standing) return withProgress(pin, standing, model);
  return newest ? { ...pin, residue: pin.residue?.tools ? pin.residue : null } : null;
}

/** The pin as it was then. The context is dropped unless the checkpoint recorded it. */
export function withProgress(
  { context: _, ...pin }: Pin,
  standing: PinProgress,
  model: string | null,
): Pin {
  return { ...pin, ...standing, model };
}

/** A file joined from its consecutive parts, with its digest at every size that a checkpoint names. */
interface Copy {
  readonly bytes: Uint8Array;
  readonly digests: ReadonlyMap<number, string>;
}

/** The copies of every file, newest first: a later copy includes what earlier checkpoints had. */
export function copiesOf({ heads, parts }: KeptCheckpoints): ReadonlyMap<string, Copy[]> {
  return new Map(
    [...Map.groupBy(parts, ({ name }) => name)].map(([name, ofFile]) => {
      const sizes = heads.flatMap(({ files }) =>
        files.filter((file) => file.name === name).map(({ size }) => size),
      );
      const copies = chainsOf(ofFile).map((chain) => copyOf(chain, sizes));
      return [name, copies.toReversed()];
    }),
  );
}

/** Lets `verify` name the damaged part. */
export function isSound({ bytes, sha256: digest }: CheckpointPart): boolean {
  return sha256(bytes) === digest;
}

/** The files of a checkpoint, or null if one of them can no longer be assembled. */
export function filesAt(
  { files }: CheckpointHead,
  copies: ReadonlyMap<string, readonly Copy[]>,
): ProviderFile[] | null {
  const found = files.map(({ name, size, whole }) => {
    const copy = copies.get(name)?.find(({ digests }) => digests.get(size) === whole);
    return copy ? { name, bytes: copy.bytes.subarray(0, size) } : null;
  });
  return found.length > 0 && found.every((file) => file !== null) ? found : null;
}

/** Splits the parts into chains; each chain begins with a part that starts at 0. */
function chainsOf(parts: readonly CheckpointPart[]): CheckpointPart[][] {
  const chains: CheckpointPart[][] = [];
  for (const part of parts) {
    if (part.start === 0) chains.push([]);
    chains.at(-1)?.push(part);
  }
  return chains;
}

function copyOf(chain: readonly CheckpointPart[], sizes: readonly number[]): Copy {
  const pieces: Uint8Array[] = [];
  let end = 0;
  for (const part of chain) {
    if (part.start !== end) break;
    pieces.push(part.bytes);
    end += part.bytes.length;
  }
  const bytes = new Uint8Array(Buffer.concat(pieces));
  return { bytes, digests: prefixDigests(bytes, sizes) };
}

/** The digests of its beginnings of these sizes; hashes every byte once, however many there are. */
function prefixDigests(bytes: Uint8Array, sizes: readonly number[]): Map<number, string> {
  const running = createHash("sha256");
  const digests = new Map<number, string>();
  let read = 0;
  for (const size of sizes.toSorted((left, right) => left - right)) {
    if (size > bytes.length) break;
    running.update(bytes.subarray(read, size));
    read = size;
    digests.set(size, running.copy().digest("hex"));
  }
  return digests;
}

// Reads a provider's history and judges it against a pin.

export interface FoundHistory {
  readonly history: History | "missing" | "unreadable";
  /** Why reading failed; the history itself may be fine. */
  readonly error: ErrorView | null;
  /** Candidates for the history at the time of the pin; read only if the current one differs. */
  readonly earlier: readonly History[];
}

/** Reads the history of the provider session that is compared with the pin. */
export async function readHistory(
  provider: Provider,
  pin: Pin,
  source: FileSource = readOnce(),
): Promise<FoundHistory> {
  try {
    const handle = judgedHandle(pin);
    const history = await provider.observe(handle, sha256, source);
    const { state } = judgeHistory(pin, history, "none", sha256);
    const changed = typeof history !== "string" && (state === "lost" || state === "unforkable");
    const earlier = changed ? await provider.earlier?.(handle, pin.bytes, sha256, source) : [];
    return { history, error: null, earlier: earlier ?? [] };
  } catch (error) {
    if (!(error instanceof UnreadError)) throw error;
    return { history: "unreadable", error: error.view(), earlier: [] };
  }
}

export function judgeFound(
  pin: Pin,
  { history, error, earlier }: FoundHistory,
  checkpoint: CheckpointState,
): HistoryState {
  if (error) return { state: "unread", error };
  return judgeHistory(pin, history, checkpoint, sha256, earlier);
}

// The state of a provider's history, and the checkpoint that could restore it. Changes nothing.

type Asked = Pick<Wanted, "key" | "agent" | "rules">;

export interface Examination {
  readonly state: HistoryState;
  readonly restoration: Restoration | null;
  /** Ids of the messages that a person took back in the provider's own program. */
  readonly takenBack: readonly string[];
}

/** Reads the checkpoints only if the provider's history is not as expected. */
export async function examine(
  engine: Engine,
  { session, pin, outline }: SessionFacts,
  found: FoundHistory,
  wanted: Asked,
  restorable = true,
): Promise<Examination> {
  const as = (state: HistoryState, restoration: Restoration | null = null): Examination => {
    return { state, restoration, takenBack: [] };
  };
  if (pin === null) return as({ state: "unknown" });
  const judged = judgeFound(pin, found, "whole");
  if (judged.state === "rewound") {
    const transcript = session ? await engine.store.readTranscript(session.conversation) : [];
    const messages = given(pin, wanted, transcript);
    const pinned = pinnedAmong(found.earlier, pin, sha256)?.items.slice(0, pin.history?.length);
    const takenBack = takenBackMessages(messages, pinned ?? [], judged.kept).map(({ id }) => id);
    return { ...as({ ...judged, takenBack: takenBack.length }), takenBack };
  }
  const undone = judged.state === "unconfirmed" && !judged.tools;
  const forked = judged.state === "forkable" && pin.fork?.by === "copy";
  if (judged.state !== "restorable" && !undone && !forked) return as(judged);
  // The checkpoint may be whole: the provider's folder may be read-only or full.
  if (!restorable) return as(judgeFound(pin, found, "not restored"));

  const { key, agent } = wanted;
  const kept = await engine.store.readCheckpoints({ key, agent, handle: pin.handle.id });
  const restoration = findRestoration(kept, pin, ({ given, history: then, residue }) =>
    undone
      ? then?.digest === pin.history?.digest && residue === null
      : given.digest === pin.given.digest || isPrefix(given, wanted, outline),
  );
  if (typeof restoration === "string") return as(judgeFound(pin, found, restoration));
  if (judged.state !== "restorable") return as(judged, restoration);
  const { earlier, pin: then } = restoration;
  return as({ ...judged, earlier, unconfirmed: then.residue !== null }, restoration);
}

/** The messages that this provider session was sent or answered, including those of later turns. */
function given(pin: Pin, wanted: Asked, transcript: readonly Message[]): readonly Message[] {
  const slice = measureSlice(transcript, wanted.agent, pin.given, sha256);
  const { length } = continued(wanted, { slice });
  const messages = length === 0 ? [] : sinceOpening(transcript).slice(-length);
  return messages.filter(({ agent }) => agent === wanted.agent);
}

/** What the provider session was given at that time is still the beginning of the conversation. */
function isPrefix(given: ChainEnd, wanted: Asked, outline: SessionFacts["outline"]): boolean {
  const slice = measureSlice(outline, wanted.agent, given, sha256);
  return continued(wanted, { slice }).prefix === given.digest;
}
