/**
 * The state of a conversation as text: a first line with format, version and id, then one line for each message with a
 * checksum over everything before it. A turn only adds lines, so a checkpoint stores only what the turn added.
 */

import { createHash } from "node:crypto";
import { jsonLine, wholeLines } from "../files.ts";
import type { StoredMessage } from "./message.ts";

const format = "reprise-openai";
/** Changes when an earlier version of Reprise could not read the state any more. */
export const stateVersion = 1;

export interface ConversationState {
  readonly id: string;
  readonly messages: readonly StoredMessage[];
}

/** `damaged`: cut, changed or no state at all. `newer`: written by a later version of Reprise. */
export type StateProblem = "damaged" | "newer";

/** Relative to the agent's home. */
export function stateName(id: string): string {
  return `sessions/${id}.jsonl`;
}

export function stateText({ id, messages }: ConversationState): string {
  const head = JSON.stringify({ format, version: stateVersion, id });
  let sum = digest("", head);
  const lines = messages.map((message) => {
    const text = JSON.stringify(message);
    sum = digest(sum, text);
    return `{"sum":"${sum}","message":${text}}`;
  });
  return [head, ...lines].map((line) => `${line}\n`).join("");
}

export function parseState(bytes: Uint8Array): ConversationState | StateProblem {
  const [head, ...lines] = wholeLines(bytes) ?? [];
  const first = jsonLine(head ?? "");
  if (head === undefined || first?.format !== format) return "damaged";
  if (typeof first.version === "number" && first.version > stateVersion) return "newer";
  const { id } = first;
  if (first.version !== stateVersion || typeof id !== "string") return "damaged";
  const messages: StoredMessage[] = [];
  let sum = digest("", head);
  for (const line of lines) {
    const text = /^\{"sum":"[\w-]{43}","message":(\{.*\})\}$/s.exec(line)?.[1];
    if (text === undefined) return "damaged";
    sum = digest(sum, text);
    if (!line.startsWith(`{"sum":"${sum}"`)) return "damaged";
    const message = jsonLine(text) as unknown as StoredMessage | null;
    if (message === null) return "damaged";
    messages.push(message);
  }
  return { id, messages };
}

function digest(before: string, text: string): string {
  return createHash("sha256").update(`${before}\n${text}`).digest("base64url");
}
