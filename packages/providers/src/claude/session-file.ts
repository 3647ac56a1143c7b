/**
 * The file of a claude session: one JSON line for everything that happened, only ever appended to.
 * Messages name their parents, so it is a tree, and claude (2.1.325) continues one branch of it: the
 * one of the last `last-prompt` line. A line that it can not read it skips without a word.
 */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Hash, messageDigest } from "@reprise/core/conversation/slice";
import type { History, HistoryItem } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import { isMissing, readSessionFile } from "../files.ts";
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
  readonly message?: {
    readonly id?: string;
    readonly model?: string;
    readonly content?: string | readonly Block[];
  };
}

type Node = Entry & { readonly uuid: string };

/** The session's files in all folders of projects, relative to the home; the first is the one to read. */
export async function findSessions({ id, place }: Handle): Promise<string[]> {
  const folders = await readdir(join(place, "projects")).catch(nothing);
  const names = await Promise.all(
    folders.map(async (folder) => {
      const files = await readdir(join(place, "projects", folder)).catch(nothing);
      return files.includes(`${id}.jsonl`) ? [join("projects", folder, `${id}.jsonl`)] : [];
    }),
  );
  return names.flat();
}

export async function readSession(
  handle: Handle,
  hash: Hash,
): Promise<History | "missing" | "unreadable"> {
  const [name, ...others] = await findSessions(handle);
  if (name === undefined) return "missing";
  // Which of several claude would take depends on where it is started.
  if (others.length > 0) return "unreadable";
  const bytes = await readSessionFile(join(handle.place, name));
  const items = parseSession(bytes.toString("utf8"), hash);
  // Never `compacted`: the summary is one more item, and what was before it stays in the file. So
  // whatever does not begin with what we confirmed has lost something.
  return items === null ? "unreadable" : { items, bytes: bytes.length, compacted: false };
}

/** The conversation that claude would continue; null when a line can not be read, or there is none. */
export function parseSession(text: string, hash: Hash): HistoryItem[] | null {
  const entries: Entry[] = [];
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const entry = parseLine(line);
    if (entry === null) return null;
    entries.push(entry);
  }
  const nodes = entries.filter((entry): entry is Node => !!entry.uuid && !entry.isSidechain);
  if (nodes.length === 0) return null;
  return branch(nodes, leafOf(entries, nodes)).flatMap((node) => itemsOf(node, hash));
}

function parseLine(line: string): Entry | null {
  try {
    const entry = JSON.parse(line);
    return typeof entry === "object" ? entry : null;
  } catch {
    return null;
  }
}

/** The newest message that stands below the one that was noted last; the newest of all without a note. */
function leafOf(entries: readonly Entry[], nodes: readonly Node[]): Node | undefined {
  const noted = entries.findLast(({ type, leafUuid }) => type === "last-prompt" && leafUuid);
  const start = nodes.findIndex(({ uuid }) => uuid === noted?.leafUuid);
  if (start === -1) return nodes.at(-1);
  const below = new Set([noted?.leafUuid]);
  let leaf = nodes[start];
  for (const node of nodes.slice(start + 1))
    if (below.has(parentOf(node) ?? "")) {
      below.add(node.uuid);
      leaf = node;
    }
  return leaf;
}

/** From the beginning to the leaf, in the order of the file. */
function branch(nodes: readonly Node[], leaf: Node | undefined): Node[] {
  const byId = new Map(nodes.map((node) => [node.uuid, node]));
  const taken = new Set<Node>();
  for (let node = leaf; node && !taken.has(node); node = byId.get(parentOf(node) ?? ""))
    taken.add(node);

  // Calls that the model made at once are lines of one message, each with its result below it: the
  // branch goes through one of them, and the model gets all.
  const messages = new Set([...taken].flatMap(({ message }) => message?.id ?? []));
  for (const node of nodes) {
    const { type, message, parentUuid } = node;
    const beside = type === "assistant" && message?.id !== undefined && messages.has(message.id);
    const parent = byId.get(parentUuid ?? "");
    const result = type === "user" && hasResult(node) && parent !== undefined && taken.has(parent);
    if (beside || result) taken.add(node);
  }
  return nodes.filter((node) => taken.has(node));
}

function parentOf({ parentUuid, logicalParentUuid }: Node): string | null | undefined {
  return parentUuid ?? logicalParentUuid;
}

function itemsOf(node: Node, hash: Hash): HistoryItem[] {
  const { type, isMeta, isCompactSummary } = node;
  const item = (role: HistoryItem["role"], text: string): HistoryItem => ({
    role,
    text,
    digest: messageDigest(role, text, hash),
  });
  const blocks = blocksOf(node);
  const text = blocks.map((block) => block.text ?? "").join("");
  if (isCompactSummary) return [item("summary", text)];
  // What the program says in somebody's place is not the conversation: a note, an error of the
  // service, the words that fill the gap after an interruption, a command and its output.
  if (isMeta || node.message?.model === "<synthetic>" || ofTheProgram.test(text)) return [];
  if (type !== "user" && type !== "assistant") return [];
  const words = blocks.some((block) => block.type === "text") ? [item(type, text)] : [];
  const others = blocks.filter((block) => block.type !== "text");
  return [
    ...words,
    ...others.map((block) =>
      // An answer that had to fit a schema is given by calling a tool.
      block.type === "tool_use" && block.name === answerTool
        ? item("assistant", JSON.stringify(block.input))
        : item("tool", JSON.stringify(block)),
    ),
  ];
}

const ofTheProgram = /^<(command-name|local-command-)/;

function blocksOf({ message }: Node): readonly Block[] {
  const content = message?.content ?? [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function hasResult(node: Node): boolean {
  return blocksOf(node).some(({ type }) => type === "tool_result");
}

function nothing(error: NodeJS.ErrnoException): string[] {
  if (isMissing(error) || error.code === "ENOTDIR") return [];
  throw error;
}
