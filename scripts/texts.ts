/**
 * The text check: nothing that belongs to one machine, no test that excludes the others, and plain words.
 * `node scripts/texts.ts --count` prints the lines with banned words, by folder.
 */

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { repositoryFiles, root } from "./files.ts";

const rules = [
  { found: /"resolved":\s*"https?:/, says: "a lockfile names where a package was fetched from" },
  { found: /\bregistry\.[a-z0-9-]+\.[a-z]|https?:\/\/regist/i, says: "names a registry host" },
  { found: machinePath(), says: "names a folder of one machine" },
  { found: /\b(?:test|it|describe|suite)\.only\(/, says: "runs one test and excludes the others" },
];

/** Words that make a reader stop, with what to write instead. */
const bannedWords: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b(?:whoever|somebody|nobody|anybody|everybody)\b/i, "name who does it"],
  [/\bcan not\b/i, "cannot"],
  [/\bso many\b|manieth\b/i, "say how many"],
  [/\b(?:stands?|stood|standing) in(?: line)?\b/i, "is in, waits"],
  [/\b(?:mend|mends|mended|mending)\b/i, "fix"],
  [/\btold\b/i, "send, say, report, show"],
  [/\b(?:go|goes|going|went|gone) on\b/i, "continue"],
  [/\b(?:he|his|him)\b/, "the name of the program or caller"],
  [/(?<!\bthere )\b(?:is|are|was|were) no (?!longer|more\b)[a-z]/i, "is not a"],
  [/^\s*(?:\/\*\*|\*|\/\/) Of /, "name the thing first"],
];

/** Where the rule on words applies. */
const worded =
  /^(?:packages|docs|examples|test|scripts|workflows|bench)\/.*\.(?:tsx?|[cm]?js|sh|md|ya?ml)$|^[A-Z]+\.md$/;

/** The banned words themselves, and the names in the homes of earlier versions. */
const foreign: readonly string[] = [
  "scripts/texts.ts",
  "scripts/fixture.ts",
  "test/schema/old-homes.test.ts",
  "test/toolchain/texts.test.ts",
];

/** One sentence for every line that breaks a rule. */
export function textProblems(): string[] {
  return repositoryFiles().flatMap((file) => {
    const content = readFileSync(path.join(root, file));
    return content.includes(0) ? [] : textProblemsIn(file, content.toString("utf8"));
  });
}

export function textProblemsIn(file: string, text: string): string[] {
  return [...ruleProblems(file, text), ...(isWorded(file) ? wordProblems(file, text) : [])];
}

function ruleProblems(file: string, text: string): string[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      rules
        .filter((rule) => rule.found.test(line))
        .map((rule) => `${file}:${index + 1} ${rule.says}: ${line.trim().slice(0, 120)}`),
    );
}

/** Whether the rule on words applies to the file. */
function isWorded(file: string): boolean {
  return worded.test(file) && !foreign.includes(file);
}

/** One sentence for every banned word. */
export function wordProblems(file: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) =>
    bannedWords.flatMap(([words, instead]) => {
      const [found] = words.exec(line) ?? [];
      return found === undefined
        ? []
        : [`${file}:${index + 1} "${found}" (write: ${instead}): ${line.trim().slice(0, 120)}`];
    }),
  );
}

/** Lines with banned words, by folder. */
function countWords(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const file of repositoryFiles()) {
    if (!isWorded(file)) continue;
    const found = wordProblems(file, readFileSync(path.join(root, file), "utf8")).length;
    const [top = "", next = ""] = path.dirname(file).split("/");
    const folder = top === "packages" || top === "test" ? `${top}/${next}` : top;
    counts.set(folder, (counts.get(folder) ?? 0) + found);
  }
  return counts;
}

/** Home folders, folders where clones are commonly kept, and the two that this clone can name itself. */
function machinePath(): RegExp {
  const usual = [
    "root",
    "work",
    "farm",
    "builds",
    "home/(?!me/|you/|user/)[\\w.-]+",
    "Users/(?!me/|you/|user/)[\\w.-]+",
  ];
  const own = [root, homedir()].filter((folder) => folder.split("/").length > 2);
  const escaped = own.map((folder) => folder.slice(1).replace(/[^\w/-]/g, "\\$&"));
  return new RegExp(`(?<![\\w.~$}/*-])/(?:${[...usual, ...escaped].join("|")})/`);
}

if (import.meta.main) {
  const counts = [...countWords()].sort(([, one], [, other]) => other - one);
  for (const [folder, count] of counts) console.log(`${String(count).padStart(5)} ${folder}`);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  console.log(`${String(total).padStart(5)} in all`);
}
