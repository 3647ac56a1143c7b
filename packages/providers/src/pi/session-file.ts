/**
 * The file of a pi session: JSON lines that are only appended to, after a header. Entries name their parents, so it is a
 * tree, and pi (1.5) continues from the last line. It skips a line that it cannot read, and everything before an entry
 * whose parent is not there, without saying so.
 */

import { type Hash, messageDigest } from "@reprise/core/conversation/slice";
import type { AbandonedText, HistoryItem } from "@reprise/core/session/history";
import { fileLines } from "../files.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
}

interface Message {
  readonly role?: string;
  readonly content?: string | readonly Block[] | null;
  readonly stopReason?: string;
  readonly toolCallId?: string;
  /** The parts of a system message by name, and the tools that it adds or removes. */
  readonly sections?: unknown;
  readonly toolsAdded?: unknown;
  readonly toolsRemoved?: unknown;
}

interface Entry {
  readonly type?: string;
  readonly id?: string;
  readonly parentId?: string | null;
  readonly message?: Message;
  /** The text of a compaction, or what a person left behind on another branch. */
  readonly summary?: string;
  /** What a compaction keeps of the system prompt. */
  readonly systemMessage?: Message;
  /** The text of a message that an extension added. */
  readonly content?: Message["content"];
  /** The earlier entry that this one changes. */
  readonly targetId?: string;
  readonly replacement?: unknown;
}

interface SessionHeader {
  readonly type: "session";
  readonly version: number;
  readonly id: string;
  readonly cwd: string;
}

interface Node {
  readonly entry: Entry;
  /** The size of the file when it had been written. */
  readonly end: number;
}

export interface PiSession {
  readonly header: SessionHeader;
  /** What pi would continue from, in order. */
  readonly items: readonly HistoryItem[];
  /** Digests of the system prompt, and of each change of it. */
  readonly context: readonly string[];
  /** What was sent on other branches. */
  readonly abandoned: readonly AbandonedText[];
}

const newline = 10;
/** The format before had no tree, and pi writes the file anew. */
const oldestVersion = 3;

/** Null when a line cannot be read, the last one is torn, a parent is missing, or there is no header. */
export async function parseSession(bytes: Uint8Array, hash: Hash): Promise<PiSession | null> {
  if (bytes.at(-1) !== newline) return null;
  let header: SessionHeader | null = null;
  const nodes = new Map<string, Node>();
  let leaf: Node | undefined;
  for await (const { text, end } of fileLines(bytes)) {
    if (header === null) {
      header = parseHeader(text);
      if (header === null) return null;
      continue;
    }
    const entry = parseLine(text);
    if (!entry?.id || nodes.has(entry.id)) return null;
    if (entry.parentId && !nodes.has(entry.parentId)) return null;
    leaf = { entry, end };
    nodes.set(entry.id, leaf);
  }
  if (header === null || leaf === undefined) return null;
  const taken = branch(nodes, leaf);
  const failed = new Set([...nodes.values()].flatMap(({ entry }) => failedId(entry) ?? []));
  return {
    header,
    items: taken.flatMap(({ entry }) => itemsOf(entry, failed, hash)),
    context: taken.flatMap(({ entry }) => contextOf(entry, hash)),
    abandoned: abandonedIn(nodes, new Set(taken)),
  };
}

/** The first line of a session's file; null for any other line. */
export function parseHeader(line: string): SessionHeader | null {
  const { type, version, id, cwd } = (parseLine(line) ?? {}) as Partial<SessionHeader>;
  if (type !== "session" || typeof id !== "string" || typeof cwd !== "string") return null;
  if (version === undefined || version < oldestVersion) return null;
  return { type, version, id, cwd };
}

function parseLine(line: string): Entry | null {
  try {
    const entry = JSON.parse(line) as Entry | null;
    return typeof entry === "object" ? entry : null;
  } catch {
    return null;
  }
}

/** From the beginning to the leaf. Parents come before their children, so there is no circle. */
function branch(nodes: ReadonlyMap<string, Node>, leaf: Node): Node[] {
  const taken: Node[] = [];
  for (let node: Node | undefined = leaf; node; node = nodes.get(node.entry.parentId ?? ""))
    taken.push(node);
  return taken.reverse();
}

function abandonedIn(
  nodes: ReadonlyMap<string, Node>,
  taken: ReadonlySet<Node>,
): readonly AbandonedText[] {
  return [...nodes.values()]
    .filter((node) => !taken.has(node) && node.entry.message?.role === "user")
    .map(({ entry, end }) => ({ text: textOf(entry.message?.content), end }));
}

function contextOf({ message, systemMessage }: Entry, hash: Hash): string[] {
  const system = message?.role === "system" ? message : systemMessage;
  if (system === undefined) return [];
  const { content, sections, toolsAdded, toolsRemoved } = system;
  return [hash(JSON.stringify([content, sections, toolsAdded, toolsRemoved]))];
}

/** An answer that failed: pi keeps it, but does not send it to a model. */
function failedId({ id, message }: Entry): string | null {
  const failed = message?.stopReason === "error" || message?.stopReason === "aborted";
  return failed && id ? id : null;
}

/**
 * A compaction is one more item, since everything before it stays in the file: a history that does not begin with the
 * confirmed items has lost some. So is a change that an extension made to an earlier message.
 */
function itemsOf(entry: Entry, failed: ReadonlySet<string>, hash: Hash): HistoryItem[] {
  const item = (role: HistoryItem["role"], text: string): HistoryItem[] => [
    { role, text, digest: messageDigest(role, text, hash) },
  ];
  switch (entry.type) {
    case "message":
      return failedId(entry) ? [] : messageItems(entry.message ?? {}, item);
    case "compaction":
      return item("summary", entry.summary ?? "");
    case "branch_summary":
    case "custom_message":
      return item("tool", JSON.stringify([entry.type, entry.summary ?? entry.content ?? null]));
    case "context_edit":
      if (failed.has(entry.targetId ?? "")) return [];
      return item("tool", JSON.stringify([entry.type, entry.targetId, entry.replacement]));
    default:
      return [];
  }
}

/** The system prompt is not part of the conversation: pi adds a message where it changes. */
function messageItems(
  { role, content, toolCallId }: Message,
  item: (role: HistoryItem["role"], text: string) => HistoryItem[],
): HistoryItem[] {
  const blocks = blocksOf(content);
  const text = textOf(content);
  switch (role) {
    case "user": {
      const images = blocks.filter(({ type }) => type !== "text");
      return item("user", images.length > 0 ? `${text}\n${JSON.stringify(images)}` : text);
    }
    case "assistant":
      return [
        ...(text === "" ? [] : item("assistant", text)),
        ...blocks
          .filter(({ type }) => type === "toolCall")
          .flatMap(({ id, name, arguments: args }) =>
            item("tool", JSON.stringify([name, id, args])),
          ),
      ];
    case "toolResult":
      return item("tool", JSON.stringify(["result", toolCallId, blocks]));
    default:
      return [];
  }
}

function textOf(content: Message["content"]): string {
  return blocksOf(content)
    .map(({ type, text }) => (type === "text" ? (text ?? "") : ""))
    .join("");
}

function blocksOf(content: Message["content"]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}
