/** The file with what a session must contain: written when a turn has ended well, whole or not at all. */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { WitnessedTurn } from "./witness.ts";

/** Null when there is none: then nothing can be compared. */
export function readWitness(place: string, id: string): readonly WitnessedTurn[] | null {
  try {
    const lines = readFileSync(fileOf(place, id), "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as WitnessedTurn);
  } catch {
    return null;
  }
}

export function writeWitness(place: string, id: string, turns: readonly WitnessedTurn[]): void {
  const file = fileOf(place, id);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = turns.map((turn) => `${JSON.stringify(turn)}\n`).join("");
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Its id has no character that means something in a path. */
function fileOf(place: string, id: string): string {
  return join(place, "sessions", `${id}.jsonl`);
}
