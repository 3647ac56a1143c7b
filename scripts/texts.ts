/** The text check: nothing that belongs to one machine, and no test that shuts out the others. */

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { repositoryFiles, root } from "./files.ts";

const rules = [
  { found: /"resolved":\s*"https?:/, says: "a lockfile names where a package was fetched from" },
  { found: /\bregistry\.[a-z0-9-]+\.[a-z]|https?:\/\/regist/i, says: "names a registry host" },
  { found: machinePath(), says: "names a folder of one machine" },
  { found: /\b(?:test|it|describe|suite)\.only\(/, says: "runs one test and shuts out the others" },
];

/** One sentence for every line that breaks a rule. */
export function textProblems(): string[] {
  return repositoryFiles().flatMap((file) => {
    const content = readFileSync(path.join(root, file));
    return content.includes(0) ? [] : textProblemsIn(file, content.toString("utf8"));
  });
}

export function textProblemsIn(file: string, text: string): string[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      rules
        .filter((rule) => rule.found.test(line))
        .map((rule) => `${file}:${index + 1} ${rule.says}: ${line.trim().slice(0, 120)}`),
    );
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
