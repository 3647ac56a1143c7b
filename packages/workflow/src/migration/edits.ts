/** Changes to a YAML text; everything else stays as it was typed. */

import { isMap, isScalar, type Node, type Pair, stringify, type YAMLMap, type YAMLSeq } from "yaml";

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A change for people: the text before, and the text now. */
export interface Change {
  /** `node coder`, or `edge coder → reviewer`. */
  readonly place: string;
  readonly before: string | null;
  readonly after: string | null;
}

type Entry = Pair<Node, Node | null>;

export class Edits {
  readonly changes: Change[] = [];
  readonly #text: string;
  readonly #newline: string;
  readonly #splices: Splice[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#newline = text.includes("\r\n") ? "\r\n" : "\n";
  }

  /** The text with all changes. */
  apply(): string {
    let result = "";
    let from = 0;
    for (const { start, end, text } of this.#splices.toSorted((a, b) => a.start - b.start)) {
      result += this.#text.slice(from, start) + text;
      from = end;
    }
    return result + this.#text.slice(from);
  }

  /** Renames a key, and replaces its value if one is given. */
  rename(place: string, map: YAMLMap, key: string, to: string, value?: string): void {
    const entry = entryOf(map, key);
    const [start, end] = entry?.key.range ?? [];
    if (!entry || start === undefined || end === undefined) return;
    const before = this.#shown(entry);
    this.#splice(start, end, this.#quoted(map) ? JSON.stringify(to) : to);
    if (value !== undefined) this.#setValue(map, entry, value);
    const after = value ?? before.slice(before.indexOf(":") + 2);
    this.changes.push({ place, before, after: `${to}: ${after}` });
  }

  set(place: string, map: YAMLMap, key: string, value: string): void {
    const entry = entryOf(map, key);
    if (!entry) return;
    this.changes.push({ place, before: this.#shown(entry), after: `${key}: ${value}` });
    this.#setValue(map, entry, value);
  }

  remove(place: string, map: YAMLMap, key: string): void {
    const at = map.items.findIndex((entry) => keyOf(entry as Entry) === key);
    const entry = map.items[at] as Entry | undefined;
    const [start] = entry?.key.range ?? [];
    if (!entry || start === undefined) return;
    this.changes.push({ place, before: this.#shown(entry), after: null });
    const end = endOf(entry);
    const next = (map.items[at + 1] as Entry | undefined)?.key.range?.[0];
    const previous = map.items[at - 1] as Entry | undefined;
    if (map.flow && previous) this.#splice(endOf(previous), end, "");
    else if (map.flow || at === 0) this.#splice(start, next ?? end, "");
    else this.#splice(this.#lineStart(start), this.#lineEnd(end) + this.#newline.length, "");
  }

  /** After the first of these keys that exists, else before all others. */
  insert(
    place: string,
    map: YAMLMap,
    behind: readonly string[],
    key: string,
    value: unknown,
  ): void {
    const found = behind.map((name) => entryOf(map, name)).find((entry) => entry);
    const start = (map.items[0] as Entry | undefined)?.key.range?.[0] ?? 0;
    this.changes.push({ place, before: null, after: `${key}: ${flow(value)}` });
    if (map.flow) {
      const at = found ? endOf(found) : start;
      const pair = this.#quoted(map)
        ? `${JSON.stringify(key)}: ${JSON.stringify(value)}`
        : `${key}: ${flow(value)}`;
      this.#splice(at, at, found ? `, ${pair}` : `${pair}, `);
      return;
    }
    const lines = stringify({ [key]: value }, { lineWidth: 0 })
      .trimEnd()
      .split("\n");
    const indent = " ".repeat(start - this.#lineStart(start));
    if (found) this.#addLines(endOf(found), indent, lines);
    else
      this.#splice(start, start, lines.map((line) => `${line}${this.#newline}${indent}`).join(""));
  }

  /** As the last items of a list in `map`. */
  append(place: string, map: YAMLMap, list: YAMLSeq, values: readonly unknown[]): void {
    const last = list.items.at(-1) as Node | undefined;
    const end = last?.range?.[1] ?? (list.range?.[0] ?? 0) + 1;
    for (const value of values)
      this.changes.push({ place, before: null, after: `- ${flow(value)}` });
    if (list.flow || last === undefined) {
      const isJson = this.#quoted(isMap(last) ? last : map);
      const items = values.map((value) => (isJson ? JSON.stringify(value) : flow(value)));
      const text = items.join(", ");
      this.#splice(end, end, last === undefined ? text : `, ${text}`);
      return;
    }
    const dash = this.#text.lastIndexOf("-", (last.range?.[0] ?? 1) - 1);
    const indent = " ".repeat(dash - this.#lineStart(dash));
    this.#addLines(end, indent, stringify(values, { lineWidth: 0 }).trimEnd().split("\n"));
  }

  #addLines(end: number, indent: string, lines: readonly string[]): void {
    // A block of text ends with its newline, everything else before that of its line.
    const isBehind = this.#text[end - 1] === "\n";
    const at = isBehind ? end : this.#lineEnd(end);
    const text = lines.map((line) =>
      isBehind ? `${indent}${line}${this.#newline}` : `${this.#newline}${indent}${line}`,
    );
    this.#splice(at, at, text.join(""));
  }

  #setValue(map: YAMLMap, { value }: Entry, text: string): void {
    const [start, end] = value?.range ?? [];
    if (start === undefined || end === undefined) return;
    this.#splice(start, end, this.#quoted(map) ? JSON.stringify(text) : flow(text));
  }

  /** JSON wants quotes around keys and texts. */
  #quoted(map: YAMLMap): boolean {
    const key = (map.items[0] as Entry | undefined)?.key;
    return map.flow === true && isScalar(key) && key.type === "QUOTE_DOUBLE";
  }

  #shown(entry: Entry): string {
    return this.#text.slice(entry.key.range?.[0], endOf(entry)).trimEnd();
  }

  #lineStart(at: number): number {
    return this.#text.lastIndexOf("\n", at - 1) + 1;
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf(this.#newline, at);
    return end < 0 ? this.#text.length : end;
  }

  #splice(start: number, end: number, text: string): void {
    this.#splices.push({ start, end, text });
  }
}

export function keyOf({ key }: Entry): string {
  return String(isScalar(key) ? key.value : key);
}

function entryOf(map: YAMLMap, key: string): Entry | undefined {
  return (map.items as Entry[]).find((entry) => keyOf(entry) === key);
}

function endOf({ key, value }: Entry): number {
  return (value ?? key).range?.[1] ?? 0;
}

function flow(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
}
