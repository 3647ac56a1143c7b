/**
 * Checkpoints of provider files: what was appended since the last one, or the whole file when its
 * beginning changed or the appended parts have become more than it was. So storage per turn stays what
 * a turn adds, and one damaged part never spoils all that comes after it. Every part and every whole
 * file carries its digest; nothing that does not fit is ever put back.
 */

import { createHash } from "node:crypto";
import type { CheckpointState } from "@reprise/core/session/history";
import type { Pin, PinProgress } from "@reprise/core/session/pin";
import type { Provider, ProviderFile } from "@reprise/providers/provider";
import type {
  CheckpointHead,
  CheckpointPart,
  KeptCheckpoints,
  NewCheckpoint,
} from "@reprise/store/store";
import { sha256 } from "../digest.ts";

/** Version of the checkpoint's own format. */
const checkpointVersion = 1;

/** What brings the last checkpoint up to what the provider has now; null when nothing changed. */
export async function takeCheckpoint(
  provider: Provider,
  pin: Pin,
  last: CheckpointHead | null,
): Promise<NewCheckpoint | null> {
  if (provider.traits.checkpoint === "none") return null;
  const before = last?.handle === pin.handle.id && last.agent === pin.agent ? last : null;
  return newCheckpoint(pin, await provider.copyOut(pin.handle), before);
}

/** The checkpoint of these files; null when the last one has them already. */
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
    const appended =
      before !== undefined &&
      bytes.length >= before.size &&
      sha256(bytes.subarray(0, before.size)) === before.whole;
    if (appended && bytes.length === before.size) return [];
    const follows = appended && bytes.length <= 2 * before.snapshot;
    const start = follows ? before.size : 0;
    const added = bytes.subarray(start);
    return [
      {
        name,
        start,
        bytes: added,
        sha256: sha256(added),
        size: bytes.length,
        whole: sha256(bytes),
      },
    ];
  });
}

/** What can be put back: the files, and the pin as it was when they were copied. */
export interface Restoration {
  readonly files: readonly ProviderFile[];
  readonly pin: Pin;
  /** It has less than what was confirmed last. */
  readonly earlier: boolean;
}

/** The newest checkpoint that is whole and fits, or what is wrong with all of them. */
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

/** Why no checkpoint may be used, whatever is in it; null when there is no such reason. */
export function obstacleTo({ heads: [newest] }: KeptCheckpoints, { agent }: Pin) {
  if (newest === undefined) return "none";
  if (newest.version > checkpointVersion) return "newer";
  return newest.agent === agent ? null : "foreign";
}

/**
 * The pin as it was at a checkpoint. One that does not tell can only be the newest, which an
 * unconfirmed turn without a tool has not changed.
 */
function pinAt({ standing, model }: CheckpointHead, newest: boolean, pin: Pin): Pin | null {
  if (standing) return withStanding(pin, standing, model);
  return newest ? { ...pin, residue: pin.residue?.tools ? pin.residue : null } : null;
}

/** The pin as it was then: what was not compared at that time is not known of it. */
export function withStanding(
  { context: _, ...pin }: Pin,
  standing: PinProgress,
  model: string | null,
): Pin {
  return { ...pin, ...standing, model };
}

/** One copy of a file as far as its parts follow each other, with its digest at every size that a checkpoint names. */
interface Copy {
  readonly bytes: Uint8Array;
  readonly digests: ReadonlyMap<number, string>;
}

/** The copies of every file, newest first: a later copy also has what earlier checkpoints had. */
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

/** For whoever wants to know which part it is that is damaged. */
export function isSound({ bytes, sha256: digest }: CheckpointPart): boolean {
  return sha256(bytes) === digest;
}

/** The files of a checkpoint, or null when one of them can not be put together any more. */
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

/** Each begins with a part from 0. */
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

/** In one pass, however many checkpoints there are. */
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
