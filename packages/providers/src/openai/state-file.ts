/** Reads and writes the state file of a conversation; a write is whole or not at all. */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type ConversationState, stateName, stateText } from "./state.ts";

/** The file's content; null when there is no such conversation. */
export function readStateFile(home: string, id: string): Buffer | null {
  try {
    return readFileSync(join(home, stateName(id)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Replaces the file, if it still has the content that was read. A process that is killed at any byte leaves the earlier
 * file as it was. False: another process wrote it in between.
 */
export function writeStateFile(
  home: string,
  state: ConversationState,
  before: Buffer | null,
): boolean {
  const file = join(home, stateName(state.id));
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const beside = `${file}.new`;
  const opened = openSync(beside, "w", 0o600);
  try {
    writeFileSync(opened, stateText(state));
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  const now = readStateFile(home, state.id);
  if (before === null ? now !== null : now === null || !before.equals(now)) {
    rmSync(beside);
    return false;
  }
  renameSync(beside, file);
  const entry = openSync(folder, "r");
  try {
    fsyncSync(entry);
  } finally {
    closeSync(entry);
  }
  return true;
}
