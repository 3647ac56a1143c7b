/** Reports nodes whose parent cannot contain them. */

import type { Draft, DraftNode } from "./draft.ts";

export function reportNesting(draft: Draft): void {
  for (const node of draft.nodes.values()) if (node.parent !== null) reportParent(draft, node);
}

function reportParent(draft: Draft, { id, parent: name, written, position }: DraftNode): void {
  const { nodes, source, report, file } = draft;
  // A parent that could not be read exists, and its error was already reported.
  if (name === null || file.unread.has(name)) return;
  const parent = nodes.get(name);
  const at = source.at([...written.path, "parentId"]);
  if (!parent)
    report.error(
      "unknown-node",
      at,
      `The parent of "${id}" is "${name}", which does not exist.`,
      report.near(name, loopsOf(draft), "Name a loop of this file."),
    );
  else if (parent.written.type !== "loop")
    report.error(
      "not-a-loop",
      at,
      `The parent of "${id}" is "${parent.id}", a ${parent.written.type} node.`,
      "Only loops can contain nodes.",
    );
  else if (containsItself(draft, id))
    report.error(
      "loop-in-itself",
      position,
      `Loop "${id}" contains itself.`,
      "Remove parentId from the outermost loop.",
    );
}

function* loopsOf({ nodes }: Draft): Iterable<string> {
  for (const { id, written } of nodes.values()) if (written.type === "loop") yield id;
}

function containsItself({ nodes }: Draft, id: string): boolean {
  const seen = new Set<string>();
  for (let at = nodes.get(id); at && !seen.has(at.id); at = nodes.get(at.parent ?? "")) {
    seen.add(at.id);
    if (at.parent === id) return true;
  }
  return false;
}
