/**
 * The file of a claude session: one JSON line for everything that happened, only ever appended to.
 * Messages name their parents, so it is a tree, and claude (2.1.325) continues one branch of it: the
 * one of the last `last-prompt` line. It skips a line that it cannot read, without saying so.
 */

import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { type Hash, messageDigest } from "@reprise/core/conversation/slice";
import type { AbandonedText, History, HistoryItem } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import { fileLines, readOnce } from "../files.ts";
import type { FileSource } from "../provider.ts";
import { answerTool } from "./schema.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly input?: unknown;
}

interface Entry {
  readonly type?: string;
  readonly uuid?: string;
  readonly parentUuid?: string | null;
  /** Where a compaction cut the branch off. */
  readonly logicalParentUuid?: string | null;
  readonly leafUuid?: string;
  readonly isSidechain?: boolean;
  readonly isMeta?: boolean;
  readonly isCompactSummary?: boolean;
  /** Claude's own messages to the model: its system prompt, the environment, the date. */
  readonly attachment?: unknown;
  readonly rendered?: unknown;
  readonly message?: {
    readonly id?: string;
    readonly model?: string;
    readonly content?: string | readonly Block[];
  };
}

/** A message of the conversation's tree. */
interface Node {
  readonly uuid: string;
  readonly type: string | undefined;
  readonly parentUuid: string | null;
  readonly logicalParentUuid: string | null;
  /** The lines of one message have the same id. */
  readonly message: string | undefined;
  readonly hasResult: boolean;
  readonly items: readonly HistoryItem[];
  /** The size of the file when it had been written. */
  readonly end: number;
}

/** The session's files in all folders of projects, relative to the home; the first is the one to read. */
export async function findSessions(
  { id, place }: Handle,
  source: FileSource = readOnce(),
): Promise<string[]> {
  const folders = await source.listIfThere(join(place, "projects"));
  const listed = await Promise.allSettled(
    folders.map(async ({ name: folder }) => {
      const files = await source.listIfThere(join(place, "projects", folder));
      return files
        .filter(({ name }) => name === `${id}.jsonl`)
        .map(({ name }) => join("projects", folder, name));
    }),
  );
  const names = listed.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  // Another project's folder may be unreadable; that matters only if the session may be in it.
  const problem = listed.find((each) => each.status === "rejected");
  if (names.length === 0 && problem) throw problem.reason;
  return names;
}

export async function readSession(
  handle: Handle,
  hash: Hash,
  source: FileSource = readOnce(),
): Promise<History | "missing" | "unreadable"> {
  const [name, ...others] = await findSessions(handle, source);
  if (name === undefined) return "missing";
  // Which of several files claude would take depends on where it is started.
  if (others.length > 0) return "unreadable";
  const bytes = await source.readIfThere(join(handle.place, name));
  if (bytes === null) return "missing";
  return (await historyIn(handle, name, bytes, hash, source)) ?? "unreadable";
}

/** The file is only appended to, so its beginning is an earlier state, whose branch may not be the current one. */
export async function earlierSessions(
  handle: Handle,
  size: number,
  hash: Hash,
  source: FileSource = readOnce(),
): Promise<History[]> {
  const [name] = await findSessions(handle, source);
  const bytes = name === undefined ? null : await source.readIfThere(join(handle.place, name));
  if (name === undefined || bytes === null || bytes.length < size) return [];
  const history = await historyIn(handle, name, bytes.subarray(0, size), hash, source);
  return history ? [history] : [];
}

/** Null when it cannot be read. */
async function historyIn(
  { id, place }: Handle,
  name: string,
  bytes: Uint8Array,
  hash: Hash,
  source: FileSource,
): Promise<History | null> {
  const parsed = await parseSession(bytes, hash);
  if (parsed === null) return null;
  const results = join(place, dirname(name), id, "tool-results");
  const context = await Promise.all(
    parsed.context.map((each) =>
      typeof each === "string" ? each : resultDigest(results, each.result, hash, source),
    ),
  );
  // Never `compacted`: a summary is one more item, and everything before it stays in the file. So a history that does
  // not begin with the confirmed items has lost some.
  const { items, abandoned } = parsed;
  const left = abandoned.length > 0 ? { abandoned } : {};
  return { items, bytes: bytes.length, compacted: false, context, ...left };
}

/** A long tool result is kept beside the session file, and the model gets its path. */
async function resultDigest(
  folder: string,
  name: string,
  hash: Hash,
  source: FileSource,
): Promise<string> {
  const bytes = await source.readIfThere(join(folder, name));
  const digest = bytes ? createHash("sha256").update(bytes).digest("hex") : "missing";
  return hash(`${name}\n${digest}`);
}

export interface ParsedSession {
  readonly items: HistoryItem[];
  /** Everything else that the model gets: a digest, or the name of a tool result that is kept beside the file. */
  readonly context: (string | { readonly result: string })[];
  /** What was sent on other branches. */
  readonly abandoned: AbandonedText[];
}

/** The conversation that claude would continue; null when a line cannot be read, or there is none. */
export async function parseSession(bytes: Uint8Array, hash: Hash): Promise<ParsedSession | null> {
  const nodes: Node[] = [];
  const context: ParsedSession["context"] = [];
  const results = new Set<string>();
  let noted: string | undefined;
  for await (const { text, end } of fileLines(bytes)) {
    const entry = parseLine(text);
    if (entry === null) return null;
    const { type, uuid, isSidechain, leafUuid } = entry;
    if (uuid && !isSidechain) nodes.push(nodeOf(uuid, entry, end, hash));
    if (type === "last-prompt" && leafUuid) noted = leafUuid;
    context.push(...programMessages(entry, hash));
    for (const [, result = ""] of text.matchAll(resultPath))
      if (!results.has(result)) {
        results.add(result);
        context.push({ result });
      }
  }
  if (nodes.length === 0) return null;
  const taken = branch(nodes, leafOf(nodes, noted));
  const items = nodes.filter((node) => taken.has(node)).flatMap((node) => node.items);
  const abandoned = nodes
    .filter((node) => node.type === "user" && !taken.has(node))
    .flatMap(({ items, end }) =>
      items.flatMap(({ role, text }) => (role === "user" ? [{ text, end }] : [])),
    );
  return { items, context, abandoned };
}

/** The path has the id that the session had when the result was written. */
const resultPath = /\/[0-9a-f-]{36}\/tool-results\/([\w-]+(?:\.[\w-]+)*)/g;

/** Digests of claude's own messages to the model. */
function programMessages(entry: Entry, hash: Hash): string[] {
  const { type, isSidechain, isMeta, attachment, rendered, message } = entry;
  if (isSidechain) return [];
  if (type === "attachment") return [hash(JSON.stringify([attachment, rendered]))];
  return isMeta && message ? [hash(JSON.stringify(message.content))] : [];
}

function parseLine(line: string): Entry | null {
  try {
    const entry = JSON.parse(line);
    return typeof entry === "object" ? entry : null;
  } catch {
    return null;
  }
}

/** The newest descendant of the message that the last `last-prompt` line names; without such a line, the newest message. */
function leafOf(nodes: readonly Node[], noted: string | undefined): Node | undefined {
  const start = nodes.findIndex(({ uuid }) => uuid === noted);
  if (start === -1) return nodes.at(-1);
  const below = new Set([noted]);
  let leaf = nodes[start];
  for (const node of nodes.slice(start + 1))
    if (below.has(parentOf(node) ?? "")) {
      below.add(node.uuid);
      leaf = node;
    }
  return leaf;
}

/** From the beginning to the leaf. */
function branch(nodes: readonly Node[], leaf: Node | undefined): ReadonlySet<Node> {
  const byId = new Map(nodes.map((node) => [node.uuid, node]));
  const taken = new Set<Node>();
  for (let node = leaf; node && !taken.has(node); node = byId.get(parentOf(node) ?? ""))
    taken.add(node);

  // Parallel calls are lines of one message, each with its result below it. The branch goes through only one of them,
  // but the model gets all.
  const messages = new Set([...taken].flatMap(({ message }) => message ?? []));
  for (const node of nodes) {
    const { type, message, parentUuid, hasResult } = node;
    const beside = type === "assistant" && message !== undefined && messages.has(message);
    const parent = byId.get(parentUuid ?? "");
    const result = type === "user" && hasResult && parent !== undefined && taken.has(parent);
    if (beside || result) taken.add(node);
  }
  return taken;
}

function parentOf({ parentUuid, logicalParentUuid }: Node): string | null {
  return parentUuid ?? logicalParentUuid;
}

function nodeOf(uuid: string, entry: Entry, end: number, hash: Hash): Node {
  const { type, parentUuid = null, logicalParentUuid = null, message } = entry;
  return {
    ...{ uuid, type, parentUuid, logicalParentUuid, end },
    message: message?.id,
    hasResult: blocksOf(entry).some((block) => block.type === "tool_result"),
    items: itemsOf(entry, hash),
  };
}

function itemsOf(entry: Entry, hash: Hash): HistoryItem[] {
  const { type, isMeta, isCompactSummary, message } = entry;
  const item = (role: HistoryItem["role"], text: string): HistoryItem => ({
    role,
    text,
    digest: messageDigest(role, text, hash),
  });
  const blocks = blocksOf(entry);
  const text = blocks.map((block) => block.text ?? "").join("");
  if (isCompactSummary) return [item("summary", text)];
  // Claude also writes messages in the name of the user or the model: a note, an error of the service, filler text
  // after an interruption, a command and its output. They are not part of the conversation.
  if (isMeta || message?.model === "<synthetic>" || ofTheProgram.test(text)) return [];
  if (type !== "user" && type !== "assistant") return [];
  const words = blocks.some((block) => block.type === "text") ? [item(type, text)] : [];
  const others = blocks.filter((block) => block.type !== "text");
  return [
    ...words,
    ...others.map((block) =>
      // With a schema, the model answers by calling a tool.
      block.type === "tool_use" && block.name === answerTool
        ? item("assistant", JSON.stringify(block.input))
        : item("tool", JSON.stringify(block)),
    ),
  ];
}

const ofTheProgram = /^<(command-name|local-command-)/;

function blocksOf({ message }: Entry): readonly Block[] {
  const content = message?.content ?? [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
