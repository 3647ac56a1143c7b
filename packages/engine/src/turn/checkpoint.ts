/**
 * Checkpoints of provider files: what was appended since the last one, or the whole file when its
 * beginning changed, so that storage per turn stays what a turn adds. Every part and every whole file
 * carries its digest; nothing that does not fit is ever put back.
 */

import type { CheckpointState } from "@reprise/core/session/history";
import type { ProviderFile } from "@reprise/providers/provider";
import type { CheckpointHead, CheckpointPart } from "@reprise/store/store";
import { sha256 } from "../digest.ts";

/** Version of the checkpoint's own format. */
export const checkpointVersion = 1;

/** The parts that bring the last checkpoint up to `files`; empty when nothing changed. */
export function checkpointParts(
  files: readonly ProviderFile[],
  last: CheckpointHead | null,
): CheckpointPart[] {
  return files.flatMap((file) => {
    const before = last?.files.find(({ name }) => name === file.name);
    const appended =
      before !== undefined &&
      file.bytes.length >= before.size &&
      sha256(file.bytes.subarray(0, before.size)) === before.whole;
    const start = appended ? before.size : 0;
    const bytes = file.bytes.subarray(start);
    if (appended && bytes.length === 0) return [];
    return [
      {
        name: file.name,
        start,
        bytes,
        sha256: sha256(bytes),
        size: file.bytes.length,
        whole: sha256(file.bytes),
      },
    ];
  });
}

/** The files that the parts make up, or null when a part is missing or damaged. */
export function assembleFiles(parts: readonly CheckpointPart[]): ProviderFile[] | null {
  const files: ProviderFile[] = [];
  for (const [name, chain] of Map.groupBy(parts, (part) => part.name)) {
    const first = chain.findLastIndex((part) => part.start === 0);
    const pieces = chain.slice(first);
    let size = 0;
    for (const part of pieces) {
      if (part.start !== size || sha256(part.bytes) !== part.sha256) return null;
      size += part.bytes.length;
    }
    const bytes = new Uint8Array(Buffer.concat(pieces.map((part) => part.bytes)));
    const last = pieces.at(-1);
    if (first < 0 || last === undefined || sha256(bytes) !== last.whole) return null;
    files.push({ name, bytes });
  }
  return files;
}

/** What the newest checkpoint is worth for this agent and handle. */
export function checkpointState(
  head: CheckpointHead | null,
  parts: readonly CheckpointPart[],
  agent: string,
): CheckpointState {
  if (head === null || parts.length === 0) return "none";
  if (head.version > checkpointVersion) return "newer";
  if (head.agent !== agent) return "foreign";
  return assembleFiles(parts) === null ? "damaged" : "whole";
}
