/**
 * The file of a gemini session: JSON lines, in which a line may replace everything before it. Gemini (0.61) begins a
 * file with a header, appends messages, and writes a message again when its tools have run; `$set.messages` replaces
 * all messages, `$rewindTo` takes back the named one and those behind it. It skips a line that it cannot read, without
 * saying so.
 */

import { type Hash, messageDigest } from "@reprise/core/conversation/slice";
import type { HistoryItem } from "@reprise/core/session/history";
import { fileLines } from "../files.ts";

interface Part {
  readonly text?: string;
  readonly thought?: unknown;
  readonly functionCall?: {
    readonly id?: string | undefined;
    readonly name?: string | undefined;
    readonly args?: unknown;
  };
  readonly functionResponse?: { readonly id?: string; readonly response?: unknown };
}

type Content = string | Part | readonly (string | Part)[];

interface ToolCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: unknown;
  readonly result?: Content | null;
}

export interface SessionMessage {
  readonly id: string;
  readonly type?: string;
  readonly content?: Content;
  readonly toolCalls?: readonly ToolCall[];
}

interface Header {
  readonly sessionId: string;
  readonly projectHash: string;
  readonly kind?: string;
}

interface Line extends Partial<SessionMessage>, Partial<Header> {
  readonly $rewindTo?: string;
  readonly $set?: { readonly sessionId?: string; readonly messages?: readonly SessionMessage[] };
  readonly messages?: readonly SessionMessage[];
}

export interface GeminiSession {
  readonly header: Header;
  /** Those that gemini would continue from, in order. */
  readonly messages: readonly SessionMessage[];
}

/** Null when a line cannot be read, the last one is torn, or there is no header. */
export async function parseSession(bytes: Uint8Array): Promise<GeminiSession | null> {
  if (bytes.at(-1) !== newline) return null;
  let header: Partial<Header> = {};
  let messages = new Map<string, SessionMessage>();
  for await (const { text } of fileLines(bytes)) {
    if (text.trim() === "") continue;
    const line = parseLine(text);
    if (line === null) return null;
    if (typeof line.$rewindTo === "string") messages = before(messages, line.$rewindTo);
    else if (typeof line.id === "string") messages.set(line.id, line as SessionMessage);
    else if (line.$set) {
      const { messages: all, ...set } = line.$set;
      if (all) messages = byId(all);
      header = { ...header, ...set };
    } else if (line.sessionId && line.projectHash) {
      const { messages: all, ...rest } = line;
      if (all) messages = new Map([...messages, ...byId(all)]);
      header = { ...header, ...rest };
    } else return null;
  }
  const { sessionId, projectHash } = header;
  if (!sessionId || !projectHash) return null;
  return { header: { ...header, sessionId, projectHash }, messages: [...messages.values()] };
}

const newline = 10;

/** Where the lines that take messages back begin. */
export async function rewindsIn(bytes: Uint8Array): Promise<number[]> {
  const starts: number[] = [];
  let start = 0;
  for await (const { text, end } of fileLines(bytes)) {
    if (text.startsWith('{"$rewindTo"')) starts.push(start);
    start = end;
  }
  return starts;
}

function parseLine(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Line | null;
    return typeof line === "object" ? line : null;
  } catch {
    return null;
  }
}

function byId(messages: readonly SessionMessage[]): Map<string, SessionMessage> {
  return new Map(messages.map((message) => [message.id, message]));
}

/** Gemini forgets everything when the message that it should go back to is not there. */
function before(messages: Map<string, SessionMessage>, id: string): Map<string, SessionMessage> {
  const all = [...messages];
  const at = all.findIndex(([each]) => each === id);
  return new Map(at === -1 ? [] : all.slice(0, at));
}

/**
 * The conversation as a model gets it. A resume writes the messages anew, text as parts and every tool call and result
 * once more, so text is compared without its form, and calls and results by their ids.
 */
export function itemsOf(messages: readonly SessionMessage[], hash: Hash): HistoryItem[] {
  const seen = new Set<string>();
  const words = messages.flatMap((message) => wordsOf(message, seen));
  return words.map(([said, text], index) => {
    const role = index === 0 && words[1]?.[1] === afterSummary ? "summary" : said;
    return { role, text, digest: messageDigest(role, text, hash) };
  });
}

/** Gemini compresses a history that becomes too long by itself; it then begins with a summary, and this answer to it. */
const afterSummary = "Got it. Thanks for the additional context!";

/** A session without any is not found by `--resume`: gemini writes such files when it starts. */
export function isEmpty({ messages }: GeminiSession): boolean {
  return messages.every((message) => wordsOf(message, new Set()).length === 0);
}

type Words = [role: HistoryItem["role"], text: string];

function wordsOf({ type, content, toolCalls = [] }: SessionMessage, seen: Set<string>): Words[] {
  if (type !== "user" && type !== "gemini") return [];
  const parts = partsOf(content);
  const once = (id: string | undefined, name: string, value: unknown): Words[] => {
    const key = `${name} ${id}`;
    if (id !== undefined && seen.has(key)) return [];
    seen.add(key);
    return [["tool", JSON.stringify([name, id ?? null, value])]];
  };
  const text = parts.map((part) => (part.thought ? "" : (part.text ?? ""))).join("");
  const calls = [...parts.flatMap(({ functionCall: call }) => call ?? []), ...toolCalls];
  const results = [...parts, ...toolCalls.flatMap(({ result }) => partsOf(result ?? undefined))];
  return [
    ...(type === "user" && isIgnored(text) ? [] : said(type, text)),
    ...calls.flatMap(({ id, name, args }) => once(id, "call", [name, args])),
    ...results.flatMap(({ functionResponse: result }) =>
      // Gemini shortens bulky results of earlier turns by itself, so their content is not compared.
      result ? once(result.id, "result", null) : [],
    ),
  ];
}

function said(type: "user" | "gemini", text: string): Words[] {
  return text === "" ? [] : [[type === "user" ? "user" : "assistant", text]];
}

/** Gemini's own messages, and those that it leaves out of a resumed conversation. */
function isIgnored(text: string): boolean {
  return /^\s*(\/|\?|<(session|hook)_context>)/.test(text);
}

function partsOf(content: Content | undefined): Part[] {
  if (content === undefined) return [];
  const parts = Array.isArray(content) ? content : [content];
  return parts.map((part: string | Part) => (typeof part === "string" ? { text: part } : part));
}

/**
 * The same session without what was replaced, taken back or is written anew by gemini: a resume writes the whole history
 * once more, so a file of gemini's grows with the square of its turns, and messages change their form after one. Here
 * what has been said stays as it is, so the file only grows by what is new. Without `lastUpdated` gemini takes the session
 * for a new one, which its clean-up keeps.
 */
export function normalized({ header, messages }: GeminiSession): Uint8Array {
  const { lastUpdated: _, ...kept } = header as Header & { readonly lastUpdated?: string };
  const copied = messages.filter((message) => !isWrittenAnew(message, messages)).map(inParts);
  return Buffer.from([kept, ...copied].map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** The description of the surroundings, an answer that did not come, and the second copy of a tool's result. */
function isWrittenAnew(message: SessionMessage, all: readonly SessionMessage[]): boolean {
  const { id, type, content, toolCalls = [] } = message;
  if (type !== "user" && type !== "gemini") return false;
  const parts = partsOf(content);
  const text = parts.map((part) => part.text ?? "").join("");
  if (type === "user" && /^\s*<session_context>/.test(text)) return true;
  if (type === "gemini") return toolCalls.length === 0 && parts.every((part) => part.text === "");
  return (
    id.endsWith("_response") && all.some((other) => other !== message && repeats(other, parts))
  );
}

function repeats({ type, content }: SessionMessage, results: readonly Part[]): boolean {
  const ids = partsOf(content).map(({ functionResponse: result }) => result?.id);
  return (
    type === "user" && results.every(({ functionResponse: result }) => ids.includes(result?.id))
  );
}

/** The message as gemini writes it after a resume, with each call's own result alone. */
function inParts(message: SessionMessage): SessionMessage {
  const { type, content, toolCalls } = message;
  if (type !== "user" && type !== "gemini") return message;
  const parts = partsOf(content).filter((part) => part.text !== "" || part.thought);
  const named = parts.flatMap(({ functionCall: call }) => call?.id ?? []);
  const calls = (toolCalls ?? [])
    .filter(({ id }) => id !== undefined && !named.includes(id))
    .map(({ id, name, args }) => ({ functionCall: { id, name, args } }));
  return {
    ...message,
    content: [...parts, ...calls],
    ...(toolCalls && { toolCalls: toolCalls.map(withOwnResult) }),
  };
}

function withOwnResult(call: ToolCall): ToolCall {
  const own = partsOf(call.result ?? undefined).filter(
    ({ functionResponse: result }) => result?.id === call.id,
  );
  return own.length > 0 ? { ...call, result: own } : call;
}
