/**
 * The documents of the published package: the README, and every file that it leads to. A link to a file that
 * stays in the repository, such as source code, becomes plain text.
 */

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./files.ts";

/** What a package may have beside its code. */
const published = /^(?:README\.md|CONTEXT\.md|CHANGELOG\.md|CONTRIBUTING\.md|docs\/|examples\/)/;
/** `[text](target)` and `![text](target)`, where the target is a path and not an address. */
const links = /!?\[((?:[^[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)/g;

export function copyDocuments(folder: string): void {
  for (const kept of ["docs", "examples"])
    rmSync(path.join(folder, kept), { recursive: true, force: true });
  const pending = ["README.md"];
  const seen = new Set<string>();
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    if (!file.endsWith(".md")) copyFileSync(path.join(root, file), target);
    else {
      const { text, leadsTo } = document(file);
      writeFileSync(target, text);
      pending.push(...leadsTo);
    }
  }
}

function document(file: string): { text: string; leadsTo: string[] } {
  const leadsTo: string[] = [];
  const source = readFileSync(path.join(root, file), "utf8");
  const text = source.replaceAll(links, (whole, title: string, link: string) => {
    const target = path.posix.join(path.posix.dirname(file), link);
    if (!isPublished(target)) return title;
    leadsTo.push(target);
    return whole;
  });
  return { text, leadsTo };
}

/** A folder is not: there is nothing to open at its address. */
function isPublished(target: string): boolean {
  const extension = path.extname(target);
  if (target === "LICENSE") return true;
  return extension !== "" && published.test(target) && existsSync(path.join(root, target));
}
