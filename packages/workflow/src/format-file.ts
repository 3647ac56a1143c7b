/**
 * Puts a workflow file into its usual layout: the order of the keys, the indentation, one blank line
 * where there were several. Comments and anchors stay, and what the file means stays the same.
 */

import { type Document, isScalar, parseDocument, visit, type YAMLMap } from "yaml";
import type { Finding } from "./finding.ts";
import { refold, unfold } from "./folded-text.ts";
import { type KeyOrder, keyOrders, sortKeys } from "./key-order.ts";
import { orderedMaps } from "./ordered-maps.ts";
import { fileProblem } from "./parse/file-problem.ts";
import { YamlSource } from "./parse/source.ts";
import { sameValue } from "./same-value.ts";

/** The text as it should be, or why it cannot be read. */
export function formatFile(text: string): { text: string } | { findings: Finding[] } {
  const problem = fileProblem(new YamlSource(text));
  if (problem) return { findings: [problem] };
  if (isJson(text)) return { text: formatJson(text) };
  for (const keepFolds of [true, false]) {
    const formatted = write(text, keepFolds);
    if (formatted !== null) return { text: formatted };
  }
  return { text };
}

/** Null if the meaning would change. */
function write(text: string, keepFolds: boolean): string | null {
  const document = parse(text);
  const before: unknown = document.toJS();
  for (const [map, order] of orderedMaps(document)) sortMap(map, order);
  const folded = keepFolds ? unfold(document) : [];
  const plain = document.toString({ lineWidth: 0 });
  const written = folded.length === 0 ? plain : refold(plain, parse(plain), folded);
  const after = parse(written);
  return after.errors.length === 0 && sameValue(before, after.toJS()) ? written : null;
}

function parse(text: string): Document {
  return parseDocument(text, { merge: true, keepSourceTokens: true });
}

function sortMap(map: YAMLMap, order: KeyOrder): void {
  const before = [...map.items];
  const references = referencesIn(map);
  sortKeys(map.items, order, ({ key }) => String(isScalar(key) ? key.value : key));
  if (referencesIn(map) !== references) map.items = before;
  const [first, top] = [before[0]?.key, map.items[0]?.key];
  if (top === first || !isScalar(first) || !isScalar(top)) return;
  top.spaceBefore = false;
  // The library attaches the comment above the first key to that key, but it is about the file.
  if (order !== keyOrders.long && order !== keyOrders.short) return;
  const above = first.commentBefore;
  first.commentBefore = null;
  if (above) top.commentBefore = [above, top.commentBefore].filter(Boolean).join("\n");
}

/** Which anchors and aliases follow each other: an alias must not come before its anchor. */
function referencesIn(map: YAMLMap): string {
  const byName = new Map<string, string>();
  const add = (name: string, sign: string) => byName.set(name, (byName.get(name) ?? "") + sign);
  visit(map, {
    Alias: (_, { source }) => void add(source, "*"),
    Value: (_, { anchor }) => void (anchor !== undefined && add(anchor, "&")),
  });
  return [...byName]
    .map(([name, signs]) => `${name} ${signs}`)
    .sort()
    .join("\n");
}

function isJson(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON has neither comments nor anchors: its values are all there is. */
function formatJson(text: string): string {
  const document = parse(text);
  for (const [map, order] of orderedMaps(document)) sortMap(map, order);
  return `${JSON.stringify(document.toJS(), null, 2)}\n`;
}
