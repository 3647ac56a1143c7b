/**
 * The rollout of a codex thread: one JSON line for everything that happened, only ever appended to.
 * It alone is the history: codex (0.166) builds the model's input from it, and silently drops a line that it cannot
 * read.
 */

import { type Hash, messageDigest } from "@reprise/core/conversation/slice";
import type { History, HistoryItem } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import type { Usage } from "@reprise/core/usage/usage";
import { fileLines } from "../files.ts";
import type { FileSource } from "../provider.ts";
import { type Rollout, readLineage } from "./lineage.ts";
import { type Totals, usageOf } from "./reader.ts";
import { findRollout, findRollouts } from "./rollout-files.ts";

export async function readRollout(
  handle: Handle,
  hash: Hash,
  source?: FileSource,
): Promise<History | "missing" | "unreadable"> {
  const head = await findRollout(handle, source);
  if (head === undefined) return "missing";
  const lineage = await readLineage(handle.place, head, source);
  return (lineage && (await historyOf(lineage, hash))) ?? "unreadable";
}

/** The histories that the thread may have had at `bytes` bytes, with each of its rollouts as the last one. */
export async function earlierRollouts(
  handle: Handle,
  bytes: number,
  hash: Hash,
  source?: FileSource,
): Promise<History[]> {
  const histories: History[] = [];
  for (const file of await findRollouts(handle, source)) {
    const lineage = await readLineage(handle.place, file, source);
    const own = lineage?.pop();
    if (!lineage || !own) continue;
    const before = lineage.reduce((sum, { bytes: part }) => sum + part.length, 0);
    if (bytes <= before || bytes > before + own.bytes.length) continue;
    const cut = { ...own, bytes: own.bytes.subarray(0, bytes - before) };
    const history = await historyOf([...lineage, cut], hash);
    if (history) histories.push(history);
  }
  return histories;
}

/** Null when it cannot be read. */
async function historyOf(lineage: readonly Rollout[], hash: Hash): Promise<History | null> {
  let parsed: Parsed | null = nothing;
  let size = 0;
  for (const { thread, bytes } of lineage) {
    parsed = parsed && (await parseRollout(bytes, thread, hash, parsed));
    size += bytes.length;
  }
  // Never `compacted`: a summary is one more item, and everything before it stays in the file. So a history that does
  // not begin with the confirmed items has lost some.
  return parsed && { ...parsed, bytes: size, compacted: false };
}

interface Parsed {
  readonly items: readonly HistoryItem[];
  /** What else the model gets: codex's instructions and its description of the environment. */
  readonly context: readonly string[];
  readonly totals: Usage | null;
}

const nothing: Parsed = { items: [], context: [], totals: null };

/** The conversation in it, after its `past`; null when a line cannot be read or belongs to another thread. */
export async function parseRollout(
  bytes: Uint8Array,
  id: string,
  hash: Hash,
  past = nothing,
): Promise<Parsed | null> {
  let items = [...past.items];
  const context = [...past.context];
  let totals: Usage | null = null;
  let isEmpty = true;
  const add = (role: HistoryItem["role"], words: string) =>
    items.push({ role, text: words, digest: messageDigest(role, words, hash) });

  for await (const { text } of fileLines(bytes)) {
    const line = parseLine(text);
    if (line === null) return null;
    const { type, payload } = line;
    if (isEmpty && !(type === "session_meta" && payload.id === id)) return null;
    isEmpty = false;
    if (type === "session_meta")
      context.push(hash(JSON.stringify(payload.base_instructions ?? null)));
    else if (type === "compacted") add("summary", String(payload.message));
    else if (type === "event_msg" && payload.type === "token_count") totals = totalsOf(payload);
    else if (type === "event_msg" && payload.type === "thread_rolled_back")
      items = withoutTurns(items, Number(payload.num_turns));
    else if (type === "response_item" && payload.type !== "message") add("tool", callText(payload));
    else if (type === "response_item" && payload.role === "assistant")
      add("assistant", contentText(payload));
    else if (type === "response_item" && payload.role === "user" && isFromUser(payload))
      add("user", contentText(payload));
    else if (type === "response_item")
      context.push(hash(`${payload.role}\n${contentText(payload)}`));
  }
  return isEmpty ? null : { items, context, totals: totals ?? past.totals };
}

type Payload = Readonly<Record<string, unknown>>;

function parseLine(raw: string): { type: string; payload: Payload } | null {
  try {
    const { type, payload } = JSON.parse(raw);
    return typeof type === "string" && payload ? { type, payload } : null;
  } catch {
    return null;
  }
}

function totalsOf({ info }: Payload): Usage | null {
  const { total_token_usage: totals } = (info ?? {}) as { total_token_usage?: Totals };
  return totals ? usageOf(totals) : null;
}

/** A person rewound turns in codex's own program: the model no longer gets them. */
function withoutTurns(items: HistoryItem[], turns: number): HistoryItem[] {
  const starts = items.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  return items.slice(0, starts.at(-turns) ?? 0);
}

/** Codex marks a person's messages; the environment, rules and skills are user messages too, without the mark. */
function isFromUser(payload: Payload): boolean {
  const { content_item_metadata: marks } = (payload.internal_chat_message_metadata_passthrough ??
    {}) as { content_item_metadata?: { provenance?: { type?: string } }[] };
  if (marks) return marks.some((mark) => mark.provenance?.type === "user");
  // Rollouts of earlier versions have no marks.
  return !/^(<[a-z_]+>|# AGENTS\.md instructions)/.test(contentText(payload));
}

function contentText({ content }: Payload): string {
  return (content as { text?: string }[]).map((part) => part.text ?? JSON.stringify(part)).join("");
}

/** Calls, their outputs and reasoning, without codex's own metadata. */
function callText(payload: Payload): string {
  const { internal_chat_message_metadata_passthrough: _, ...call } = payload;
  return JSON.stringify(call);
}
