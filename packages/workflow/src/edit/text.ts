/**
 * Changes one place of a YAML text. Everything else stays as it was typed: comments, order, anchors, quotes
 * and indentation. A text is changed and read again, so that each change has the positions of its own text.
 */

import { UsageError } from "@reprise/core/errors/errors";
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Path } from "../parse/source.ts";
import { sameValue } from "../same-value.ts";
import { applyToValue, type DocumentChange } from "./change.ts";

type Entry = Pair<Node, Node | null>;

export function applyToText(given: string, change: DocumentChange): string {
  const text = change.do === "rename" ? given : withAnchorsMoved(given, change.path);
  const document = read(text);
  refuseShared(document, change.path);
  const before: unknown = document.toJS();
  const expected = applyToValue(before, change);
  if (sameValue(before, expected)) return given;
  const spliced = splice(text, document, change);
  if (spliced !== null && sameValue(parsed(spliced), expected)) return spliced;
  // A layout that is not handled above: the library writes the document, which keeps comments and anchors.
  const written = rewrite(document, change);
  if (sameValue(parsed(written), expected)) return written;
  throw new UsageError(
    "cannot-edit",
    `"${change.path.join(".")}" cannot be changed without changing something else.`,
    "Edit the text of the file.",
  );
}

function read(text: string): Document {
  return parseDocument(text, { merge: true, prettyErrors: false, keepSourceTokens: true });
}

/** Undefined if the text is no longer valid YAML. */
function parsed(text: string): unknown {
  const document = read(text);
  if (document.errors.length > 0) return undefined;
  try {
    return document.toJS();
  } catch {
    return undefined;
  }
}

/** If a part is removed or replaced, its anchors move to the first alias that remains. */
function withAnchorsMoved(text: string, path: Path): string {
  const document = read(text);
  const part = document.getIn(path, true) as Node | undefined;
  if (!part) return text;
  const anchored = new Map<string, Node>();
  visit(part as never, {
    Value: (_, node) => void (node.anchor !== undefined && anchored.set(node.anchor, node)),
  });
  const moves: { start: number; end: number; text: string }[] = [];
  visit(document, {
    Node: (_, node) => {
      if (node === part) return visit.SKIP;
      const anchor = isAlias(node) ? anchored.get(node.source) : undefined;
      if (!isAlias(node) || !anchor || !node.range) return undefined;
      anchored.delete(node.source);
      const written = `&${node.source} ${flow(anchor.toJS(document))}`;
      moves.push({ start: node.range[0], end: node.range[1], text: written });
      return undefined;
    },
  });
  return moves.reduceRight(
    (whole, move) => whole.slice(0, move.start) + move.text + whole.slice(move.end),
    text,
  );
}

/** A part with an anchor that others use, or an alias, means more than one place. */
function refuseShared(document: Document, path: Path): void {
  const used = new Set<string>();
  visit(document, { Alias: (_, { source }) => void used.add(source) });
  let node = document.contents as Node | null | undefined;
  const names: (string | number)[] = [];
  for (const step of [...path.slice(0, -1), null]) {
    const anchor = isAlias(node) ? node.source : (node as { anchor?: string } | null)?.anchor;
    if (node && anchor !== undefined && (isAlias(node) || used.has(anchor)))
      throw new UsageError(
        "shared-part",
        `"${names.join(".")}" is shared by the anchor "${anchor}", so a change would apply to every place that uses it.`,
        "Write the part out where it should differ, then change it.",
      );
    if (step === null || !isCollection(node)) return;
    names.push(step);
    node = node.get(step, true) as Node | undefined;
  }
}

function splice(text: string, document: Document, change: DocumentChange): string | null {
  const key = change.path.at(-1);
  const holder = document.getIn(change.path.slice(0, -1), true);
  if (key === undefined) return null;
  const place = new Place(text);
  if (isSeq(holder)) {
    const list = holder as YAMLSeq<Node>;
    if (change.do === "remove") return place.removeItem(list, Number(key));
    if (change.do === "rename") return null;
    return Number(key) < list.items.length
      ? place.setItem(list, Number(key), change.value)
      : place.append(list, change.value);
  }
  if (!isMap(holder)) return null;
  const map = holder as unknown as YAMLMap<Node, Node | null>;
  const at = map.items.findIndex((entry) => keyOf(entry as Entry) === String(key));
  if (change.do === "set")
    return at < 0
      ? place.insert(map, String(key), change.value)
      : place.setValue(map, map.items[at] as Entry, change.value);
  if (at < 0) return null;
  return change.do === "remove"
    ? place.removeEntry(map, at)
    : place.rename(map, map.items[at] as Entry, change.to);
}

function rewrite(document: Document, change: DocumentChange): string {
  const holder = document.getIn(change.path.slice(0, -1), true);
  const key = change.path.at(-1);
  if (change.do === "set") document.setIn(change.path, document.createNode(change.value));
  else if (change.do === "remove") document.deleteIn(change.path);
  else if (isMap(holder)) {
    const entry = holder.items.find((each) => keyOf(each as Entry) === String(key));
    if (entry) entry.key = document.createNode(change.to);
  }
  return document.toString({ lineWidth: 0 });
}

/** Where the parts of a text begin and end. Every method returns the text with one part changed. */
class Place {
  readonly #text: string;
  readonly #newline: string;

  constructor(text: string) {
    this.#text = text;
    this.#newline = text.includes("\r\n") ? "\r\n" : "\n";
  }

  setValue(map: YAMLMap<Node, Node | null>, entry: Entry, value: unknown): string {
    const old = entry.value;
    const [start, end] = [old?.range?.[0], old?.range?.[1]];
    const [from, keyEnd] = entry.key.range ?? [0, 0];
    if (map.flow && start !== undefined && end !== undefined)
      return this.#replace(start, end, quotedAs(old, value) ?? this.#flow(map, value));
    const quoted = quotedAs(old, value);
    if (quoted !== null && start !== undefined && end !== undefined)
      return this.#replace(start, end, quoted);
    const lines = this.#block({ key: value }, this.#indent(from));
    const isLine = isScalar(old) && !this.#text.slice(start, end).includes("\n");
    // Only the value itself, so that a comment behind it stays.
    if (isLine && start !== undefined && end !== undefined && start < end && lines.length === 1)
      return this.#replace(start, end, lines[0]!.slice("key: ".length));
    const colon = this.#text.indexOf(":", keyEnd) + 1;
    const rest = lines.join(this.#newline).slice("key:".length);
    return this.#replace(colon, Math.max(colon, this.#contentEnd(end ?? colon)), rest);
  }

  rename(map: YAMLMap<Node, Node | null>, { key }: Entry, to: string): string {
    const [start, end] = key.range ?? [0, 0];
    return this.#replace(start, end, isJson(map) ? JSON.stringify(to) : flow(to));
  }

  insert(map: YAMLMap<Node, Node | null>, key: string, value: unknown): string {
    const last = map.items.at(-1) as Entry | undefined;
    if (map.flow || last === undefined) {
      const pair = isJson(map)
        ? `${JSON.stringify(key)}: ${JSON.stringify(value)}`
        : `${flow(key)}: ${flow(value)}`;
      const start = map.range?.[0] ?? 0;
      if (last === undefined) return this.#replace(start, map.range?.[1] ?? start, `{ ${pair} }`);
      return this.#replace(endOf(last), endOf(last), `, ${pair}`);
    }
    const first = map.items[0]?.key.range?.[0] ?? 0;
    return this.#addLines(endOf(last), this.#block({ [key]: value }, this.#indent(first)), first);
  }

  removeEntry(map: YAMLMap<Node, Node | null>, at: number): string {
    const entry = map.items[at] as Entry;
    const [start] = entry.key.range ?? [0];
    const end = endOf(entry);
    if (map.items.length === 1)
      return map.flow
        ? this.#replace(map.range?.[0] ?? start, map.range?.[1] ?? end, "{}")
        : this.#replace(start, this.#contentEnd(end), "{}");
    const next = (map.items[at + 1] as Entry | undefined)?.key.range?.[0];
    const previous = map.items[at - 1] as Entry | undefined;
    if (map.flow && previous) return this.#replace(endOf(previous), end, "");
    if (map.flow || !this.#beginsLine(start)) return this.#replace(start, next ?? end, "");
    return this.#removeLines(start, end);
  }

  setItem(list: YAMLSeq<Node>, at: number, value: unknown): string {
    const [start, end] = list.items[at]?.range ?? [0, 0];
    if (list.flow) return this.#replace(start, end, this.#flow(list, value));
    const lines = this.#block([value], this.#indent(this.#dash(start)));
    return this.#replace(
      start,
      Math.max(start, this.#contentEnd(end)),
      lines.join(this.#newline).slice("- ".length),
    );
  }

  append(list: YAMLSeq<Node>, value: unknown): string {
    const last = list.items.at(-1);
    const [start, end] = list.range ?? [0, 0];
    if (last === undefined) return this.#replace(start, end, `[${this.#flow(list, value)}]`);
    const lastEnd = last.range?.[1] ?? end;
    if (list.flow) return this.#replace(lastEnd, lastEnd, `, ${this.#flow(list, value)}`);
    const dash = this.#dash(last.range?.[0] ?? 0);
    return this.#addLines(lastEnd, this.#block([value], this.#indent(dash)), dash);
  }

  removeItem(list: YAMLSeq<Node>, at: number): string {
    const item = list.items[at];
    const [start, end] = item?.range ?? [0, 0];
    const [listStart, listEnd] = list.range ?? [0, 0];
    if (list.items.length === 1)
      return this.#replace(listStart, list.flow ? listEnd : this.#contentEnd(listEnd), "[]");
    const [previous, next] = [list.items[at - 1], list.items[at + 1]];
    if (list.flow)
      return previous
        ? this.#replace(previous.range?.[1] ?? start, end, "")
        : this.#replace(start, next?.range?.[0] ?? end, "");
    return this.#removeLines(this.#dash(start), end);
  }

  #replace(start: number, end: number, text: string): string {
    return this.#text.slice(0, start) + text + this.#text.slice(end);
  }

  #removeLines(start: number, end: number): string {
    const lineEnd = this.#text.indexOf("\n", this.#contentEnd(end));
    return this.#replace(this.#lineStart(start), lineEnd < 0 ? this.#text.length : lineEnd + 1, "");
  }

  /** Behind the line in which the content before it ends; `column` is that of a sibling. */
  #addLines(end: number, lines: readonly string[], sibling: number): string {
    const lineEnd = this.#text.indexOf("\n", this.#contentEnd(end));
    const text = lines.join(this.#newline);
    const indent = this.#indent(sibling);
    if (lineEnd < 0)
      return this.#replace(
        this.#text.length,
        this.#text.length,
        `${this.#newline}${indent}${text}`,
      );
    return this.#replace(lineEnd + 1, lineEnd + 1, `${indent}${text}${this.#newline}`);
  }

  /** The lines of a value in block style; the first without its indentation. */
  #block(value: unknown, indent: string): string[] {
    const [first = "", ...others] = stringify(value, { lineWidth: 0 }).trimEnd().split("\n");
    return [first, ...others.map((line) => (line === "" ? line : `${indent}${line}`))];
  }

  #flow(holder: YAMLMap<Node, Node | null> | YAMLSeq<Node>, value: unknown): string {
    const map = isSeq(holder) ? holder.items.find((item) => isMap(item)) : holder;
    return isMap(map) && isJson(map as never) ? JSON.stringify(value) : flow(value);
  }

  /** Without the line breaks that a block ends with. */
  #contentEnd(end: number): number {
    return this.#text.slice(0, end).trimEnd().length;
  }

  #dash(start: number): number {
    return this.#text.lastIndexOf("-", start - 1);
  }

  #lineStart(at: number): number {
    return this.#text.lastIndexOf("\n", at - 1) + 1;
  }

  #beginsLine(at: number): boolean {
    return this.#text.slice(this.#lineStart(at), at).trim() === "";
  }

  #indent(at: number): string {
    return " ".repeat(at - this.#lineStart(at));
  }
}

/** A text in the quotes that it replaces; null if it has none. */
function quotedAs(old: Node | null, value: unknown): string | null {
  if (!isScalar(old) || typeof value !== "string" || value.includes("\n")) return null;
  if (old.type !== "QUOTE_DOUBLE" && old.type !== "QUOTE_SINGLE") return null;
  return stringify(value, { defaultStringType: old.type, lineWidth: 0 }).trim();
}

/** JSON wants quotes around keys and texts. */
function isJson(map: YAMLMap<Node, Node | null>): boolean {
  const key = map.items[0]?.key;
  return map.flow === true && isScalar(key) && key.type === "QUOTE_DOUBLE";
}

function keyOf({ key }: Entry): string {
  return String(isScalar(key) ? key.value : key);
}

function endOf({ key, value }: Entry): number {
  return (value ?? key).range?.[1] ?? key.range?.[1] ?? 0;
}

/** A value for a line inside braces or brackets. */
function flow(value: unknown): string {
  return stringify([value], { collectionStyle: "flow", lineWidth: 0 }).trim().slice(1, -1).trim();
}
