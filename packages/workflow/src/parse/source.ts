/** The text of a workflow file, read so that everything in it can be found again by line and column. */

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLParseError,
} from "yaml";
import type { Position } from "../graph.ts";

export type Path = readonly (string | number)[];

export interface SyntaxProblem {
  readonly message: string;
  readonly hint: string;
  readonly position: Position;
}

export class YamlSource {
  readonly problem: SyntaxProblem | null;
  /** The content of the file as plain values. */
  readonly value: unknown;
  readonly #document: Document;
  readonly #lines = new LineCounter();
  readonly #text: string;
  /** Keys of each mapping, because one may have thousands of steps. */
  readonly #pairs = new WeakMap<YAMLMap, Map<string, Pair<Node, Node | null>>>();

  constructor(text: string) {
    this.#text = text;
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      merge: true,
      prettyErrors: false,
      // The parser's own check compares every key of a mapping with every other.
      uniqueKeys: false,
    });
    const [error] = this.#document.errors;
    const problem = error ? this.#syntaxProblem(error) : this.#endlessAlias();
    const read = problem ? { problem } : this.#read();
    this.problem = "problem" in read ? read.problem : this.#badKey();
    this.value = "value" in read ? read.value : null;
  }

  #syntaxProblem({ code, message, pos }: YAMLParseError): SyntaxProblem {
    if (code === "MULTIPLE_DOCS")
      return {
        message: "The file contains more than one YAML document, but a workflow is a single one.",
        hint: "Move what follows this line into another file, or remove the line.",
        position: this.#position(pos[0]),
      };
    return {
      message: `The file is not valid YAML: ${message.replace(/\.?$/, ".")}`,
      hint: "Check the indentation, the colons and the quotes there.",
      position: this.#position(pos[0]),
    };
  }

  /** An alias inside the value that it refers to: the value would be infinite. */
  #endlessAlias(): SyntaxProblem | null {
    let problem: SyntaxProblem | null = null;
    visit(this.#document, {
      Alias: (_, alias, path) => {
        const target = alias.resolve(this.#document);
        if (target === undefined || !path.some((node) => node === target)) return undefined;
        problem = {
          message: `The alias *${alias.source} is inside the value that it refers to, so that value is infinite.`,
          hint: "Write the inner value out.",
          position: this.#position(alias.range?.[0] ?? 0),
        };
        return visit.BREAK;
      },
    });
    return problem;
  }

  #badKey(): SyntaxProblem | null {
    let problem: SyntaxProblem | null = null;
    visit(this.#document, {
      Map: (_, map) => {
        const seen = new Set<unknown>();
        for (const { key } of map.items) {
          if (!isScalar(key) || key.value === "<<") continue;
          if (key.value === "__proto__") {
            problem = {
              message:
                'The key "__proto__" cannot be used, because JavaScript gives it a meaning of its own.',
              hint: "Choose another name.",
              position: this.#position(key.range?.[0] ?? 0),
            };
            return visit.BREAK;
          }
          if (seen.has(key.value)) {
            problem = {
              message: `The key "${key.value}" appears twice in one mapping.`,
              hint: "Give each key its own name.",
              position: this.#position(key.range?.[0] ?? 0),
            };
            return visit.BREAK;
          }
          seen.add(key.value);
        }
        return undefined;
      },
    });
    return problem;
  }

  #read(): { value: unknown } | { problem: SyntaxProblem } {
    try {
      return { value: this.#document.toJS() };
    } catch (error) {
      // Nested aliases may expand to more than fits into memory.
      return {
        problem: {
          message: `The aliases in the file cannot be followed: ${(error as Error).message}.`,
          hint: "Write the values out.",
          position: { line: 1, column: 1 },
        },
      };
    }
  }

  /** Numbers that JavaScript cannot hold exactly, or that JSON has no text for. */
  lossyNumbers(): { readonly text: string; readonly position: Position }[] {
    const found: { text: string; position: Position }[] = [];
    visit(this.#document, {
      Scalar: (_, { value, source = String(value), range }) => {
        if (typeof value !== "number") return;
        // A decimal fraction is rounded everywhere; a whole number is not expected to be.
        const isWhole = /^[-+]?(\d+|0x[\da-f]+|0o[0-7]+)$/i.test(source);
        if (Number.isFinite(value) && (!isWhole || Number.isSafeInteger(value))) return;
        found.push({ text: source, position: this.#position(range?.[0] ?? 0) });
      },
    });
    return found;
  }

  /** The position of the value at `path`, or of its parent if there is no value. */
  at(path: Path): Position {
    return this.#position(this.#find(path).node?.range?.[0] ?? 0);
  }

  /** The position of the last key of `path`, or of the value itself in a list. */
  keyAt(path: Path): Position {
    const { key, node } = this.#find(path);
    return this.#position((key ?? node)?.range?.[0] ?? 0);
  }

  /** The position of `words` in the text at `path`. */
  wordsAt(path: Path, words: string): Position {
    const [start, end] = this.#find(path).node?.range ?? [0, 0];
    const found = this.#text.slice(start, end).indexOf(words);
    return this.#position(found < 0 ? start : start + found);
  }

  /** From the first character of what is at `path`, its key included, to the one behind it. */
  range(path: Path): { start: Position; end: Position } {
    const { key, node } = this.#find(path);
    const start = (key ?? node)?.range?.[0] ?? 0;
    const end = Math.max(node?.range?.[1] ?? 0, key?.range?.[1] ?? 0, start);
    return { start: this.#position(start), end: this.#position(end) };
  }

  #position(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }

  #find(path: Path): { key: Node | null; node: Node | null } {
    let node = this.#document.contents as Node | null;
    let key: Node | null = null;
    for (const step of path) {
      const holder = isAlias(node) ? (node.resolve(this.#document) ?? null) : node;
      if (isSeq(holder)) {
        const item = holder.items[Number(step)] as Node | undefined;
        if (!item) break;
        node = item;
        key = null;
        continue;
      }
      const pair = isMap(holder) ? this.#pairsOf(holder as YAMLMap).get(String(step)) : undefined;
      if (!pair) break;
      key = pair.key;
      node = pair.value ?? pair.key;
    }
    return { key, node };
  }

  #pairsOf(map: YAMLMap): Map<string, Pair<Node, Node | null>> {
    const known = this.#pairs.get(map);
    if (known) return known;
    const pairs = new Map(
      (map.items as Pair<Node, Node | null>[]).map((pair) => [
        isScalar(pair.key) ? String(pair.key.value) : String(pair.key),
        pair,
      ]),
    );
    this.#pairs.set(map, pairs);
    return pairs;
  }
}
