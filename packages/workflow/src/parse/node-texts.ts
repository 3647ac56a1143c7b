/** The fields of a node that are templates, as they are written. */

import { placeOf, templateParts } from "../template.ts";
import type { Path } from "./source.ts";
import type { WrittenNode } from "./written.ts";

export interface NodeText {
  readonly field: string;
  readonly text: string;
  readonly path: Path;
}

export function textsOf(node: WrittenNode): NodeText[] {
  return fieldsOf(node).flatMap(([field, text, written = field]) =>
    text === undefined
      ? []
      : [{ field, text: String(text), path: node.fields[written] ?? node.path }],
  );
}

/** The field, its text, and the key of the text if it differs. */
type Field = readonly [field: string, text: unknown, written?: string];

function fieldsOf(node: WrittenNode): Field[] {
  switch (node.type) {
    case "agent": {
      const { prompt, instructions, folder, cwd } = node.data;
      return [
        ["prompt", prompt],
        ["instructions", instructions],
        folder === undefined ? ["folder", cwd, "cwd"] : ["folder", folder],
      ];
    }
    case "shell": {
      const { script, commands = [], folder, cwd, path, env = {} } = node.data;
      return [
        // Legacy commands run one by one, until one fails.
        script === undefined
          ? ["script", ["set -e", ...commands].join("\n"), "commands"]
          : ["script", script],
        ["folder", folder ?? cwd ?? path, folder ? "folder" : cwd ? "cwd" : "path"],
        ...Object.entries(env).map(([name, value]): Field => [envField(name), value, "env"]),
      ];
    }
    case "workdir":
      return [["path", node.data.path]];
    case "gate":
      return [
        ["title", node.data.title ?? node.data.label ?? node.id],
        ["message", node.data.message],
      ];
    default:
      return [];
  }
}

export function envField(name: string): string {
  return `env ${name}`;
}

/** The node's own code or templates use the name, so it is not a misspelling. */
export function isUsedIn(written: WrittenNode, name: string): boolean {
  if (written.type === "function" && wordsIn(written.data.code).includes(name)) return true;
  return textsOf(written)
    .flatMap(({ text }) => templateParts(text))
    .some((part) => typeof part !== "string" && placeOf(part.name).name === name);
}

export function wordsIn(code: string): string[] {
  return [...new Set(code.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [])];
}
